import { jsonIn, linesIn } from "../../expressions/output-value.ts";
import type { Text } from "../../expressions/template.ts";
import type { Json } from "../../ports/json.ts";
import { EffectFailedError } from "../operation.ts";

/** Parses lines as values if each of them is JSON. An empty list is an error. */
export function itemValues(id: string, lines: readonly string[]): readonly Json[] {
  if (lines.length === 0) throw new EffectFailedError("node-failed", `the items of ${id} are empty`);
  try {
    return lines.map((line) => JSON.parse(line) as Json);
  } catch {
    return lines;
  }
}

/** Throws if a list was truncated: read line by line, it would have different or fewer items. */
export function assertComplete(id: string, text: string, source: Text): void {
  const leftOut = /^\[… (\d+) bytes left out …\]$/m.exec(text)?.[1];
  const what =
    leftOut !== undefined
      ? `${leftOut} bytes are left out of ${nameOf(source)}; print only what each item needs, such as its name`
      : isBrokenJson(text)
        ? `${nameOf(source)} starts like a JSON list but is not valid JSON; check whether it was cut off`
        : undefined;
  if (what !== undefined)
    throw new EffectFailedError("node-failed", `the list of ${id} is incomplete: ${what}`);
}

/** True if a text looks like a JSON list but does not parse. JSON values on separate lines are a valid list. */
function isBrokenJson(text: string): boolean {
  if (!/^\s*\[[^\S\n]*(?:["{]|\n|$)/.test(text) || jsonIn(text) !== undefined) return false;
  return !linesIn(text).every((line) => jsonIn(line) !== undefined);
}

/** Names the source of a list, for people. */
function nameOf(source: Text): string {
  const [only, ...more] = source.filter((part) => typeof part !== "string");
  if (only === undefined || more.length > 0) return "the list";
  if (only.ref === "output" || only.ref === "previous")
    return `${only.field === undefined ? "the output" : `the field ${only.field}`} of ${only.node}`;
  return only.ref === "input" ? `the input ${only.name}` : "the list";
}
