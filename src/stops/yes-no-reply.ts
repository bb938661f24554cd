import { isObject, jsonOrText } from "../expressions/output-value.ts";
import type { AgentAnswer } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";
import type { Verdict } from "./stop.ts";

/** The reply of a model that judges work. */
export interface YesNoReply {
  readonly isYes: boolean;
  /** On one line; empty if the model gave none. */
  readonly reason: string;
}

/**
 * Reads a yes or no, in the boolean `field` of a JSON object, from an answer: from its result, its whole text, or an
 * object in the text. `undefined` if there is none.
 */
export const readYesNo = (
  { result, text }: Pick<AgentAnswer, "result" | "text">,
  field: string,
): YesNoReply | undefined =>
  replyIn(result, field) ?? replyIn(jsonOrText(text), field) ?? embedded(text, field);

/** The verdict that a reply means, with its reason after a sentence. */
export const verdictOf = ({ isYes, reason }: YesNoReply, sentence: string): Verdict => ({
  verdict: isYes ? "done" : "go-on",
  because: reason === "" ? sentence : `${sentence}: ${reason}`,
});

function replyIn(value: Json | undefined, field: string): YesNoReply | undefined {
  if (!isObject(value)) return undefined;
  const { [field]: isYes, reason } = value;
  return typeof isYes === "boolean" ? { isYes, reason: onOneLine(reason) } : undefined;
}

/** The reason that a model gave, on one line; empty if it is not text. */
export const onOneLine = (reason: Json | undefined): string =>
  typeof reason === "string" ? reason.replaceAll(/\s+/g, " ").trim() : "";

/**
 * The reply in a text. A yes counts only on its own line at the start or end of the text: elsewhere it may be quoted
 * from the judged text.
 */
function embedded(text: string, field: string): YesNoReply | undefined {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}") + 1;
  const reply = start < 0 ? undefined : replyIn(jsonOrText(text.slice(start, end)), field);
  if (reply?.isYes !== true) return reply;
  const [before, after] = [text.slice(0, start), text.slice(end)];
  const isApart = /(?:^|\n)[^\S\n]*$/.test(before) && /^[^\S\n]*(?:\n|$)/.test(after);
  const isEdge = fenceOnly.test(before) || fenceOnly.test(after);
  return isApart && isEdge ? reply : undefined;
}

const fenceOnly = /^\s*(?:`{3,}|~{3,})?\w*\s*$/;
