import type { RunSettings } from "../engine/log-events.ts";
import { minBudget } from "../engine/run-totals.ts";
import type { RunSession } from "../engine/session.ts";
import type { Budget } from "../plan/plan.ts";
import {
  type Allowance,
  decideClaim,
  firstPart,
  parseClaims,
  type SharedBudget,
} from "../plan/shared-budget.ts";
import { budgetTokens, type Usage } from "../ports/agent.ts";
import type { BudgetRequest } from "../ports/budget.ts";
import { itemOf } from "../ports/item.ts";
import { messageOf } from "../ports/message-of.ts";
import type { RunEnvironment } from "./run-environment.ts";

type ClaimPorts = Pick<RunEnvironment, "store" | "clock" | "notice">;

export interface BudgetClaim {
  readonly facts: RunSettings;
  readonly ask: BudgetRequest;
  /** Maximum time to wait for this job's turn, in milliseconds. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/**
 * Claims a part of the budget that the jobs of a fan-out share. Returns what the run may spend in total: unchanged if
 * nothing is left, and the initial share if there is no store that all jobs can write to.
 */
export async function claimBudget(claim: BudgetClaim, ports: ClaimPorts): Promise<Allowance> {
  const { facts, signal } = claim;
  if (facts.shared_budget === undefined) return facts.limits;
  try {
    return await claimed(claim, facts.shared_budget, ports);
  } catch (error) {
    signal.throwIfAborted();
    const message = messageOf(error);
    ports.notice?.(`this job keeps the part of the shared budget that it started with: ${message}`);
    return firstPart(facts.shared_budget);
  }
}

async function claimed(
  { facts, ask, patienceMs, signal }: BudgetClaim,
  budget: SharedBudget,
  { store, clock }: ClaimPorts,
): Promise<Allowance> {
  const item = itemOf(facts.run);
  if (item === undefined || store.claims === undefined)
    throw new Error("it can claim more only if all jobs store their runs at the same git host");
  const end = Date.parse(clock.now()) + patienceMs;
  for (;;) {
    signal.throwIfAborted();
    const recorded = await store.claims.read(item.of);
    const claims = parseClaims(recorded.claims);
    if (claims === undefined) throw new Error("another version of until-green wrote the claims of this run");
    const now = Date.parse(clock.now());
    const answer = decideClaim(budget, { claims, jobs: recorded.jobs }, { job: item.number, ...ask, now });
    if ("waitMs" in answer) {
      if (now + answer.waitMs > end) throw new Error("too many other jobs claim more at this time");
      await clock.sleep(answer.waitMs, signal);
    } else if (answer.claims === undefined || (await store.claims.write(item.of, recorded, answer.claims))) {
      return answer.allowed;
    }
  }
}

/** Claims made while an agent is working, before a request; the claim of the next call records them in the log. */
export interface RunningClaims {
  /** The current budget. */
  budget(session: RunSession): Budget;
  /** Claims more; simultaneous requests share one claim. */
  raise(session: RunSession, spent: Usage, signal: AbortSignal): Promise<void>;
}

export function openClaims(ports: ClaimPorts): RunningClaims {
  let claimed: Allowance = {};
  let claiming: Promise<void> | undefined;
  return {
    budget({ plan, totals: { limits } }) {
      const { usd, tokens } = limits;
      return minBudget(plan.budget, {
        ...(usd === undefined ? {} : { usd: Math.max(usd, claimed.usd ?? 0) }),
        ...(tokens === undefined ? {} : { tokens: Math.max(tokens, claimed.tokens ?? 0) }),
      });
    },
    async raise({ facts }, usage, signal) {
      if (facts.shared_budget === undefined) return;
      const ask = {
        spent: { usd: usage.cost_usd, tokens: budgetTokens(usage) },
        need: { usd: 0, tokens: 0 },
      };
      claiming ??= claimBudget({ facts, ask, patienceMs: requestPatienceMs, signal }, ports).then(
        (allowed) => {
          claimed = allowed;
        },
        // If the claim fails, the call ends for the budget; the next call claims again.
        () => undefined,
      );
      await claiming;
      claiming = undefined;
    },
  };
}

/** Maximum time that one request waits for its job's turn to claim, in milliseconds; its agent waits meanwhile. */
const requestPatienceMs = 90_000;
