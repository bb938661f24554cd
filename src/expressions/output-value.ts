import type { Json } from "../ports/json.ts";
import { nearestWord } from "../ports/nearest-word.ts";
import { parseJson } from "../ports/parse-json.ts";
import { UnresolvedError } from "./scope.ts";

/** The text of one field of a node's answer: what `$id.output.field` becomes in a text. */
export function readField(text: string, result: Json | undefined, field: string): string {
  const value = readValue(text, result, field);
  return value === null && result !== undefined ? "" : asText(value);
}

/**
 * The value of one field of a node's answer. A structured result takes precedence, and its missing fields are null.
 * Without one, the text must be a JSON object with that field; else this throws `UnresolvedError`.
 */
export function readValue(text: string, result: Json | undefined, field: string): Json {
  const answer = result ?? objectIn(text);
  if (!isObject(answer)) {
    throw new UnresolvedError(`the output is not a JSON object, so it has no field "${field}"`);
  }
  if (Object.hasOwn(answer, field)) return answer[field] ?? null;
  if (result !== undefined) return null;
  const keys = Object.keys(answer);
  const meant = nearestWord(field, keys);
  const hint =
    meant === undefined ? `it has ${keys.slice(0, 10).join(", ") || "none"}` : `did you mean "${meant}"?`;
  throw new UnresolvedError(`the output has no field "${field}"; ${hint}`);
}

/** A value as text: strings unchanged, everything else as JSON. */
export function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The JSON in a text, in a code fence or not; else the text itself. */
export function jsonOrText(text: string): Json {
  const value = jsonIn(text);
  return value === undefined ? text : value;
}

/** The JSON in a text, in a code fence or not; `undefined` if it is not JSON. */
export function jsonIn(text: string): Json | undefined {
  const value = parseJson(withoutFence(text.trim()));
  return value === undefined || isLossy(value) ? undefined : value;
}

/** The JSON object in a text, or in its first code block that can hold JSON. */
function objectIn(text: string): Json | undefined {
  const whole = jsonIn(text);
  return isObject(whole) ? whole : parseJson(firstBlock(text));
}

const blockStart = /^[ \t]*(`{3,}|~{3,})[ \t]*(.*)$/;

/** The text of the first code block without a language, or with the language JSON. */
function firstBlock(text: string): string {
  let fence: string | undefined;
  let block: string[] | undefined;
  for (const line of text.split("\n")) {
    if (fence !== undefined && line.trim() === fence) {
      if (block !== undefined) return block.join("\n");
      fence = undefined;
    } else if (fence !== undefined) block?.push(line);
    else {
      const [, marks, language = ""] = blockStart.exec(line) ?? [];
      fence = marks;
      block = /^(?:json)?$/i.test(language.trim()) ? [] : undefined;
    }
  }
  return "";
}

/** The items of a text: those of a JSON list, else one per line. */
export function itemsIn(text: string): readonly Json[] {
  const value = jsonOrText(text);
  return Array.isArray(value) ? value : linesIn(text);
}

/** The lines of a text that are not blank, trimmed. */
export const linesIn = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** True if a value has fields. */
export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// A long number, or one such as `12e4567`, is more likely an id than a quantity, so it stays text.
function isLossy(value: Json): boolean {
  if (typeof value !== "number") return false;
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}

function withoutFence(text: string): string {
  const fence = /^(?:`{3,}|~{3,})/.exec(text)?.[0];
  const firstEnd = text.indexOf("\n");
  const lastStart = text.lastIndexOf("\n");
  if (fence === undefined || firstEnd === lastStart || text.slice(lastStart + 1).trim() !== fence)
    return text;
  return text.slice(firstEnd + 1, lastStart);
}
