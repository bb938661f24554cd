import type { OnError } from "../../plan/plan.ts";
import { type Flow, need } from "../flow.ts";
import { besides } from "../path.ts";

/** Whether a failed iteration or item leaves the rest of the loop alone. */
export const goesOn = (onError: OnError): boolean =>
  onError.mode === "continue" || (onError.mode === "retry" && onError.afterwards === "continue");

/** The pause an author wants before a failed iteration or item is tried again. */
export function* waitToRetry(onError: OnError, path: string): Flow<void> {
  const ms = onError.mode === "retry" ? (onError.delayMs ?? 0) : 0;
  if (ms > 0) yield* need("timer", besides(path, "delay"), { ask: { ms } });
}
