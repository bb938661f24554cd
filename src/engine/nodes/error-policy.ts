import type { OnError } from "../../plan/plan.ts";
import { type Operation, perform } from "../operation.ts";
import { sideEffectPath } from "../path.ts";

/** True if a failed iteration or item does not end the loop. */
export const continuesAfterFailure = (onError: OnError): boolean =>
  onError.mode === "continue" || (onError.mode === "retry" && onError.afterwards === "continue");

/** The author's delay before a failed iteration or item is retried. */
export function* waitToRetry(onError: OnError, path: string): Operation<void> {
  const ms = onError.mode === "retry" ? (onError.delayMs ?? 0) : 0;
  if (ms > 0) yield* perform("timer", sideEffectPath(path, "delay"), { ask: { ms } });
}
