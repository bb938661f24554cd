import { UnresolvedError } from "../../expressions/scope.ts";
import type { OnError } from "../../plan/plan.ts";
import { EffectFailedError, type Operation, perform } from "../operation.ts";
import { type Failed, failed } from "../outcome.ts";
import { sideEffectPath } from "../path.ts";

/** Turns what an operation threw into its node's failure; rethrows defects. */
export function failureOf(error: unknown): Failed {
  if (error instanceof EffectFailedError) {
    return { ...failed(error.reason, error.message), transient: error.transient };
  }
  if (error instanceof UnresolvedError) return failed("node-failed", error.message);
  throw error;
}

/** True if a failed iteration or item does not end the loop. */
export const continuesAfterFailure = (onError: OnError): boolean =>
  onError.mode === "continue" || (onError.mode === "retry" && onError.afterwards === "continue");

/** The author's delay before a failed iteration or item is retried. */
export function* waitToRetry(onError: OnError, path: string): Operation<void> {
  const ms = onError.mode === "retry" ? (onError.delayMs ?? 0) : 0;
  if (ms > 0) yield* perform("timer", sideEffectPath(path, "delay"), { ask: { ms } });
}
