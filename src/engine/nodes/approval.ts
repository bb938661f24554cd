import { renderText } from "../../expr/render.ts";
import { type Flow, need, tell } from "../flow.ts";
import { gateText } from "../gate-text.ts";
import type { Here } from "../here.ts";
import { failed, type Outcome } from "../outcome.ts";
import { attemptOf } from "../path.ts";
import { scopeAt } from "../scope.ts";
import { askAgent } from "./ask.ts";
import type { NodeFlow } from "./node.ts";

export const approval: NodeFlow<"approval"> = function* (node, here) {
  let reworked: string | undefined;
  for (let round = 1; ; round++) {
    const message = renderText(node.message, scopeAt(here));
    const shown = { message, run: here.facts.run, ...(reworked === undefined ? {} : { output: reworked }) };
    const answer = yield* openGate(node.id, attemptOf(here.path, round), { message: gateText(shown) });
    if (answer.decision === "approve") {
      return { status: "completed", output: node.capture ? answer.text : "" } satisfies Outcome;
    }
    if (node.onReject === undefined || round > node.onReject.times) {
      return failed("rejected", rejectedBy(answer));
    }
    const rework: Here = { ...here, path: `${here.path}!rework${round}`, rejection: answer.text };
    reworked = (yield* askAgent(node.onReject.call, rework, { node: node.id })).text;
  }
};

/** Why a rejected gate ended the run. */
export const rejectedBy = ({ by, text }: { readonly by: string; readonly text: string }) =>
  text === "" ? `rejected by ${by}` : `rejected by ${by}: ${text}`;

/** Shows a gate and waits for what a person decides. */
export function* openGate(
  node: string,
  path: string,
  { message }: { readonly message: string },
): Flow<{
  readonly decision: "approve" | "reject";
  readonly by: string;
  readonly text: string;
}> {
  yield* tell({ type: "gate.opened", path, node, message });
  return yield* need("human", path, { ask: { node, message } });
}
