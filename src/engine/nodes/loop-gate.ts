import { renderText } from "../../expr/render.ts";
import type { LoopNode } from "../../plan/plan.ts";
import type { Flow } from "../flow.ts";
import { gateText } from "../gate-text.ts";
import type { Here } from "../here.ts";
import { failed, type Outcome } from "../outcome.ts";
import { besides } from "../path.ts";
import { scopeAt } from "../scope.ts";
import { openGate, rejectedBy } from "./approval.ts";
import type { Memory } from "./memory.ts";
import type { Round } from "./round.ts";

/** What a person made of an iteration. */
export type Said =
  | { readonly next: "reject"; readonly outcome: Outcome }
  | { readonly next: "accept" }
  | { readonly next: "go-on"; readonly text: string };

interface Shown {
  readonly round: Extract<Round, { status: "completed" }>;
  readonly memory: Memory;
  /** Whether the loop may not go on by itself after this iteration. */
  readonly last: boolean;
}

/** Pauses an interactive loop for a person and reads what they decide. */
export function* askPerson(node: LoopNode, here: Here, { round, memory, last }: Shown): Flow<Said> {
  const finished = round.tested.verdict === "done";
  const message = gateText({
    message: node.gate === undefined ? "" : renderText(node.gate.message, scopeAt(here)),
    run: here.facts.run,
    output: memory.previous,
    verdicts: round.tested.said,
    ...noteOf(finished, last),
  });
  const { decision, by, text } = yield* openGate(node.id, besides(here.path, "gate"), { message });
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
