import { evaluate } from "../../expressions/cel.ts";
import { itemsIn, jsonIn, jsonOrText, linesIn } from "../../expressions/output-value.ts";
import { renderText } from "../../expressions/render.ts";
import type { Text } from "../../expressions/template.ts";
import type { ForEachNode } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { EffectFailedError, type Operation, perform } from "../operation.ts";
import { sideEffectPath } from "../path.ts";
import { scopeAt } from "../scope.ts";

/** The items of a for-each, found when it starts. */
export function* itemsOf({ id, items }: ForEachNode, context: ExecutionContext): Operation<readonly Json[]> {
  switch (items.kind) {
    case "list":
      return items.list;
    case "cel": {
      const result = evaluate(items, scopeAt(context));
      if (result.ok && Array.isArray(result.value)) return result.value;
      const fault = result.ok ? "are not a list" : `cannot be evaluated: ${result.because}`;
      throw new EffectFailedError("node-failed", `the items of ${id} ${fault}`);
    }
    case "file": {
      const text = yield* readItems(renderText(items.path, scopeAt(context)).trim(), id, context);
      assertComplete(id, text, []);
      return valuesIn(id, text);
    }
    case "text": {
      const text = renderText(items.text, scopeAt(context));
      assertComplete(id, text, items.text);
      return items.values ? valuesIn(id, text) : itemsIn(text);
    }
  }
}

const valuesIn = (id: string, text: string): readonly Json[] =>
  Array.isArray(jsonOrText(text)) ? itemsIn(text) : itemValues(id, linesIn(text));

const mostBytes = 256 * 1024;

/** The text of the file of items, which an earlier node may have written. */
function* readItems(file: string, id: string, context: ExecutionContext): Operation<string> {
  const { path, workspace } = context;
  const ask = { path: file, of: "checkout", most: mostBytes } as const;
  const read = yield* perform("file", sideEffectPath(path, "items"), { ask, workspace });
  if ("text" in read) return read.text;
  throw new EffectFailedError("node-failed", `the items of ${id} are in ${file}: ${read.because}`);
}

/** Parses lines as values if each of them is JSON. An empty list is an error. */
function itemValues(id: string, lines: readonly string[]): readonly Json[] {
  if (lines.length === 0) throw new EffectFailedError("node-failed", `the items of ${id} are empty`);
  try {
    return lines.map((line) => JSON.parse(line) as Json);
  } catch {
    return lines;
  }
}

/** Throws if a list was truncated: read line by line, it would have different or fewer items. */
function assertComplete(id: string, text: string, source: Text): void {
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
