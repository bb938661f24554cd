import type { ExecutionContext } from "./execution-context.ts";
import { getRunTotals, type Operation } from "./operation.ts";
import { type Failed, failed } from "./outcome.ts";

/** An execution context whose deadline is at most this many milliseconds from now. */
export function* withDeadline(
  context: ExecutionContext,
  ms: number | undefined,
): Operation<ExecutionContext> {
  if (ms === undefined) return context;
  const { activeMs } = yield* getRunTotals();
  return { ...context, deadline: Math.min(context.deadline ?? Infinity, activeMs + ms) };
}

/** Milliseconds left before the context's deadline; `Infinity` without one. */
export function* timeLeft({ deadline }: ExecutionContext): Operation<number> {
  return deadline === undefined ? Infinity : Math.max(0, deadline - (yield* getRunTotals()).activeMs);
}

/** The failure of a node that ran out of time. */
export function* timeoutOutcome(context: ExecutionContext, output: string): Operation<Failed | undefined> {
  return (yield* timeLeft(context)) === 0 ? failed("timeout", timeIsUp, output) : undefined;
}

/** Why no further work starts. */
export const timeIsUp = "the time limit around it has passed";
