import type { LoopNode } from "../../plan/plan.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { emit, type Operation } from "../operation.ts";
import type { LoopState } from "./loop-state.ts";

/**
 * The context for an iteration: with the loop's stronger agent or model after the configured number of iterations
 * without progress, or from the first iteration if as many runs of the goal have failed in a row.
 */
export function* escalate(
  { id, escalate: to }: LoopNode,
  context: ExecutionContext,
  memory: LoopState,
): Operation<ExecutionContext> {
  const { facts, plan } = context;
  // An agent chosen by the user takes precedence.
  if (to === undefined || (facts.agent !== undefined && to.by.agent !== undefined)) return context;
  if (!memory.escalated) {
    const withoutProgress = Math.max(memory.idle, memory.sameFailure);
    const failed = facts.series?.failures ?? 0;
    if (Math.max(withoutProgress, failed) < to.after) return context;
    memory.escalated = true;
    // Another agent cannot continue the conversation.
    if (to.by.agent !== undefined) memory.session = undefined;
    const why =
      withoutProgress >= to.after
        ? `${withoutProgress} iterations made no progress`
        : `${failed} runs in a row have failed`;
    const who = [to.by.agent, to.by.model].filter((name) => name !== undefined).join(" · ");
    const message = `${why}: from here on ${who} works on ${id}`;
    yield* emit({ type: "notice", code: "ESCALATED", message, path: context.path });
  }
  return { ...context, escalated: { by: to.by, insteadOf: to.insteadOf, plan } };
}
