import { renderText } from "../../expressions/render.ts";
import type { LoopNode } from "../../plan/plan.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { gateText } from "../gate-text.ts";
import type { Operation } from "../operation.ts";
import { failed, type Outcome } from "../outcome.ts";
import { sideEffectPath } from "../path.ts";
import { scopeAt } from "../scope.ts";
import { openGate, rejectedBy } from "./approval.ts";
import type { IterationOutcome } from "./iteration.ts";
import type { LoopState } from "./loop-state.ts";

/** What a person decided about an iteration. */
export type GateAnswer =
  | { readonly next: "reject"; readonly outcome: Outcome }
  | { readonly next: "accept" }
  | { readonly next: "go-on"; readonly text: string };

interface Shown {
  readonly iteration: Extract<IterationOutcome, { status: "completed" }>;
  readonly memory: LoopState;
  /** True if the loop must wait for a person after this iteration. */
  readonly last: boolean;
}

/** Pauses an interactive loop until a person decides. */
export function* askApproval(
  node: LoopNode,
  context: ExecutionContext,
  { iteration, memory, last }: Shown,
): Operation<GateAnswer> {
  const finished = iteration.tested.verdict === "done";
  const message = gateText({
    message: node.gate === undefined ? "" : renderText(node.gate.message, scopeAt(context)),
    run: context.facts.run,
    output: memory.previous,
    verdicts: iteration.tested.texts,
    check: iteration.tested.check,
    ...noteOf(finished, last),
  });
  const { decision, by, text } = yield* openGate(node.id, sideEffectPath(context.path, "gate"), { message });
  if (decision === "reject")
    return { next: "reject", outcome: failed("rejected", rejectedBy({ by, text }), memory.previous) };
  if (text !== "") return { next: "go-on", text };
  if (finished) return { next: "accept" };
  return { next: "go-on", text: "" };
}

function noteOf(finished: boolean, last: boolean): { readonly note?: string } {
  if (finished)
    return {
      note: "The loop says it is done: approve without text to accept it, with text for another iteration.",
    };
  if (last) return { note: "This was the last allowed iteration: approve with feedback to grant one more." };
  return {};
}
