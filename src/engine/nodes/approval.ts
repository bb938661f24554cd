import { renderText } from "../../expressions/render.ts";
import type { ApprovalNode } from "../../plan/plan.ts";
import type { ReviewReason } from "../../ports/review-reason.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { gateText } from "../gate-text.ts";
import { emit, type Operation, perform } from "../operation.ts";
import { failed, type Outcome } from "../outcome.ts";
import { attemptOf } from "../path.ts";
import type { Gate } from "../run-events.ts";
import { scopeAt } from "../scope.ts";
import { askAgent } from "./agent-request.ts";
import type { NodeOperation } from "./node.ts";

export const approval: NodeOperation<"approval"> = function* (node, context) {
  let reworked: string | undefined;
  for (let round = 1; ; round++) {
    const message = renderText(node.message, scopeAt(context));
    const shown = {
      message,
      run: context.facts.run,
      ...(reworked === undefined ? {} : { output: reworked }),
    };
    const answer = yield* openGate(node.id, attemptOf(context.path, round), gateText(shown));
    const output = outputOf(node, answer, context);
    if (output !== undefined) return { status: "completed", output } satisfies Outcome;
    if (node.onReject === undefined || round > node.onReject.times) {
      return failed("rejected", rejectedBy(answer));
    }
    const rework: ExecutionContext = {
      ...context,
      path: `${context.path}!rework${round}`,
      rejection: answer.text,
    };
    reworked = (yield* askAgent(node.onReject.call, rework, { node: node.id })).text;
  }
};

/** The output that an answer gives the node; none if it is a rejection. */
function outputOf(node: ApprovalNode, answer: Answer, context: ExecutionContext): string | undefined {
  const decided = node.decisions && decisionIn(answer, node.decisions);
  if (decided !== undefined || answer.decision === "reject") return decided;
  if (node.waits !== undefined) return waited(node.waits, answer, context);
  return node.capture ? answer.text || (node.bare ?? "") : "";
}

interface Answer {
  readonly decision: "approve" | "reject";
  readonly text: string;
  readonly waitedMs?: number;
}

/** The output of a wait that has ended, as in Archon. An event that is reported after its deadline is `expired`. */
function waited(
  { event, deadlineMs = Number.POSITIVE_INFINITY }: NonNullable<ApprovalNode["waits"]>,
  { text, waitedMs = 0 }: Answer,
  context: ExecutionContext,
): string {
  return JSON.stringify({
    status: waitedMs > deadlineMs ? "expired" : "satisfied",
    waited_ms: waitedMs,
    ...(event === undefined ? {} : { event: renderText(event, scopeAt(context)) }),
    ...(text.trim() === "" ? {} : { payload: valueIn(text) }),
  });
}

/** The JSON in a text, or else the text. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The decision as JSON. The text of an approval may start with another decision; a rejection stays a rejection. */
function decisionIn({ decision, text }: Answer, decisions: readonly string[]): string | undefined {
  const [answer = ""] = text.trim().split(/[\s:,]/, 1);
  if (decision === "approve" && decisions.includes(answer)) {
    const rest = text.trim().slice(answer.length);
    return JSON.stringify({ decision: answer, text: rest.replace(/^[\s:,]+/, "") });
  }
  return decisions.includes(decision) ? JSON.stringify({ decision, text }) : undefined;
}

/** Why a rejected gate ended the run. */
export const rejectedBy = ({ by, text }: { readonly by: string; readonly text: string }) =>
  text === "" ? `rejected by ${by}` : `rejected by ${by}: ${text}`;

/** Opens a gate and waits for a person's decision. */
export function* openGate(
  node: string,
  path: string,
  { review, ...texts }: Pick<Gate, "message" | "question"> & { readonly review?: readonly ReviewReason[] },
): Operation<{
  readonly decision: "approve" | "reject";
  readonly by: string;
  readonly text: string;
  readonly waitedMs?: number;
}> {
  yield* emit({ type: "gate.opened", path, node, ...texts, ...(review?.length ? { review } : {}) });
  return yield* perform("human", path, { ask: { node, ...texts } });
}
