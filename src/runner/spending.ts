import type { LogEvent } from "../engine/log-events.ts";
import { exhaustedBudget } from "../engine/run-totals.ts";
import type { RunSession } from "../engine/session.ts";
import type { Budget } from "../plan/plan.ts";
import { addUsage, budgetTokens, noUsage, type Spending, type Usage } from "../ports/agent.ts";
import { openClaims } from "./claim-budget.ts";
import type { RunEnvironment } from "./run-environment.ts";

/**
 * What one process spends on models, request by request, so that no request is sent after the budget is exhausted.
 */
export interface SpendingMeter {
  /** The budget check before each request of the call at a path; `session` returns the current session. */
  forCall(path: string, session: () => RunSession): Spending;
  /** Notes a recorded event: the usage of an attempt that has ended. */
  note(event: LogEvent): void;
  /** Why the budget is exhausted, as text. */
  usedUp(session: RunSession): string | undefined;
}

/** A request in flight: sent and not yet answered. */
interface Request {
  readonly tokens: number;
  readonly usd: number;
}

/**
 * Parallel requests are allowed while their estimated total fits the remaining budget; otherwise they wait for each
 * other, so that at most one request exceeds the budget.
 */
export function openSpendingMeter(world: Pick<RunEnvironment, "store" | "clock" | "notice">): SpendingMeter {
  const claims = openClaims(world);
  /** Recorded usage: of earlier processes, and of attempts that have ended. */
  let recorded: Usage | undefined;
  /** Usage so far of attempts that are still running, by path. */
  const live = new Map<string, Usage>();
  /** The largest usage of a single request so far. */
  let largest: Request | undefined;
  const inFlight = new Set<Request>();
  const waiting = new Set<() => void>();
  const total = () => [...live.values()].reduce(addUsage, recorded ?? noUsage);
  const retry = () => {
    for (const wake of waiting) wake();
  };
  const exhausted = (session: RunSession) =>
    exhaustedBudget(claims.budget(session), { usage: total(), activeMs: session.totals.activeMs });
  const stillExhausted = async (session: RunSession, signal: AbortSignal) => {
    await claims.raise(session, total(), signal);
    return exhausted(session);
  };
  return {
    usedUp: (session) => exhaustedBudget(claims.budget(session), session.totals),
    forCall(path, session) {
      recorded ??= session().totals.usage;
      return {
        async admit({ input_tokens, cost_usd }, signal) {
          const expected = { tokens: input_tokens, usd: cost_usd };
          for (;;) {
            signal.throwIfAborted();
            const refused = exhausted(session()) && (await stillExhausted(session(), signal));
            if (refused) return { refused, settle: () => undefined };
            const budget = claims.budget(session());
            const most = mostOf(expected, largest);
            if (inFlight.size === 0 || fits(total(), [...inFlight, most], budget)) break;
            await change(waiting, signal);
          }
          const request = mostOf(expected, largest);
          inFlight.add(request);
          return {
            refused: undefined,
            settle(used) {
              inFlight.delete(request);
              if (used !== undefined) {
                live.set(path, addUsage(live.get(path) ?? noUsage, used));
                largest = larger(largest ?? nothing, used);
              }
              retry();
            },
          };
        },
      };
    },
    note(event) {
      if (event.type !== "need.failed" && event.type !== "need.met") return;
      live.delete(event.path);
      recorded = addUsage(recorded ?? noUsage, usageOf(event));
      retry();
    },
  };
}

function usageOf(event: Extract<LogEvent, { type: "need.failed" | "need.met" }>): Usage | undefined {
  if (event.type === "need.failed") return event.usage;
  return event.port === "agent" ? event.answer.usage : undefined;
}

const larger = ({ tokens, usd }: Request, used: Usage): Request => ({
  tokens: Math.max(tokens, budgetTokens(used)),
  usd: Math.max(usd, used.cost_usd),
});

const nothing: Request = { tokens: 0, usd: 0 };

/** Estimated cost of a request: twice the largest before it or, until one is answered, several times its input. */
function mostOf({ tokens, usd }: Request, largest: Request | undefined): Request {
  if (largest === undefined) return { tokens: 8 * tokens + 8_192, usd: 8 * usd };
  return { tokens: Math.max(tokens, 2 * largest.tokens), usd: Math.max(usd, 2 * largest.usd) };
}

function fits(spent: Usage, requests: readonly Request[], { tokens, usd }: Budget): boolean {
  const sum = (unit: keyof Request) => requests.reduce((all, request) => all + request[unit], 0);
  return (
    (tokens === undefined || budgetTokens(spent) + sum("tokens") <= tokens) &&
    (usd === undefined || spent.cost_usd + sum("usd") <= usd)
  );
}

/** Resolves when a request in flight ends. */
async function change(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.add(resolve);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  waiting.delete(resolve);
}
