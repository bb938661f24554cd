import { isObject, jsonIn, jsonOrText } from "../../expressions/output-value.ts";
import type { AgentAnswer } from "../../ports/agent.ts";
import type { Json } from "../../ports/json.ts";
import { complaintOf } from "../../ports/json-schema.ts";
import { EffectFailedError } from "../operation.ts";

/** Why an answer does not keep a schema, as text; `undefined` if it does. */
export function resultComplaint(answer: AgentAnswer, schema: Json | undefined): string | undefined {
  if (!isObject(schema)) return undefined;
  return isPlainText(answer) && !mayBeText(schema)
    ? "the answer is not JSON"
    : complaintOf(resultOf(answer), schema);
}

const isPlainText = ({ result, text }: AgentAnswer) => result === undefined && jsonIn(text) === undefined;

/** Object and array keywords do not constrain a string: without `type`, any string would match such a schema. */
const mayBeText = (schema: { readonly [key: string]: Json }) =>
  schema["type"] !== undefined ||
  !["properties", "required", "items"].some((key) => Object.hasOwn(schema, key));

/**
 * The answer with a result that matches the schema, parsed from the text if the agent gave none separately. Throws
 * `EffectFailedError`.
 */
export function withResult(answer: AgentAnswer, schema: Json | undefined): AgentAnswer {
  if (!isObject(schema)) return answer;
  const complaint = resultComplaint(answer, schema);
  if (complaint === undefined) return { ...answer, result: resultOf(answer) };
  throw new EffectFailedError("node-failed", `the agent's result does not match its schema: ${complaint}`);
}

const resultOf = ({ result, text }: AgentAnswer): Json => result ?? jsonOrText(text);

/** The message to an agent whose answer violates its schema. */
export const promptForResult = (complaint: string, schema: Json | undefined): string =>
  [
    `Your answer does not have the required form: ${complaint}.`,
    "Answer again with the same content as JSON that matches this schema, and nothing else:",
    JSON.stringify(schema),
  ].join("\n");
