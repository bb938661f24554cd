import type { Node, Retry } from "../../plan/plan.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { emit, type Operation, perform } from "../operation.ts";
import type { Failed, Outcome } from "../outcome.ts";
import { attemptOf, sideEffectPath } from "../path.ts";
import { snapshotSequenceState } from "../sequence-state.ts";
import { failureOf } from "./failures.ts";

/** Runs a node's work, again after a failure if its author allows retries. */
export function* runWithRetries(node: Node, context: ExecutionContext): Operation<Outcome> {
  const { retry } = node;
  const putBack = snapshotSequenceState(retry && context.shared);
  let last: Failed | undefined;
  for (let attempt = 1; ; attempt++) {
    const path = attemptOf(context.path, attempt);
    const outcome = yield* attemptAt(node, { ...context, path });
    if (outcome.status !== "failed" || retry === undefined || attempt > retry.times) {
      if (outcome.status === "completed" && last) storeAttempts(retry, context, { attempt, last });
      return outcome;
    }
    if (!mayRetry(outcome, retry.on)) return outcome;
    last = outcome;
    putBack();
    yield* emit({ type: "node.retried", path: context.path, attempt: attempt + 1, reason: outcome.because });
    const ms = retry.grows ? Math.min(retry.delayMs * 2 ** (attempt - 1), longestDelayMs) : retry.delayMs;
    if (ms > 0) yield* perform("timer", sideEffectPath(path, "delay"), { ask: { ms } });
  }
}

/** Upper bound, however often a delay is doubled. */
const longestDelayMs = 3_600_000;

const final = new Set(["budget", "rejected", "tampered", "internal"]);

/** True if nothing in a workflow may ignore a failure. */
export const isFinal = ({ reason }: Failed): boolean => final.has(reason);

const mayRetry = (failure: Failed, on: "transient" | "all") =>
  !isFinal(failure) &&
  !failure.permanent &&
  (on === "all" || failure.transient === true || failure.reason === "timeout" || failure.reason === "idle");

/** One attempt. Anything it throws becomes the node's outcome. */
function* attemptAt(node: Node, context: ExecutionContext): Operation<Outcome> {
  try {
    return yield* context.runNode(node, context);
  } catch (error) {
    return failureOf(error);
  }
}

/** Stores the number of attempts in the scope's memory. */
function storeAttempts(
  retry: Retry | undefined,
  { shared }: ExecutionContext,
  { attempt, last }: { readonly attempt: number; readonly last: Failed },
): void {
  if (retry?.leaves === undefined) return;
  const { name, fields } = retry.leaves;
  const values = {
    attempt,
    most: retry.times + 1,
    retries: attempt - 1,
    because: last.because,
    reason: last.reason,
  };
  const entries = Object.entries(values).flatMap(([key, value]) => {
    const field = fields[key];
    return field === undefined ? [] : [[field, value] as const];
  });
  shared?.memory.set(name, Object.fromEntries(entries));
}
