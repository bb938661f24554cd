import { evaluate } from "../../expressions/cel.ts";
import { itemsIn, jsonOrText, linesIn } from "../../expressions/output-value.ts";
import { renderText } from "../../expressions/render.ts";
import type { ForEachNode } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { EffectFailedError, type Operation, perform } from "../operation.ts";
import { sideEffectPath } from "../path.ts";
import { scopeAt } from "../scope.ts";
import { assertComplete, itemValues } from "./item-values.ts";

/** The items of a for-each, found when it starts. */
export function* itemsOf({ id, items }: ForEachNode, context: ExecutionContext): Operation<readonly Json[]> {
  switch (items.kind) {
    case "list":
      return items.list;
    case "cel": {
      const result = evaluate(items, scopeAt(context));
      if (!result.ok)
        throw new EffectFailedError(
          "node-failed",
          `the items of ${id} cannot be evaluated: ${result.because}`,
        );
      if (Array.isArray(result.value)) return result.value;
      throw new EffectFailedError("node-failed", `the items of ${id} are not a list`);
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
  const ask = { path: file, of: "checkout", most: mostBytes } as const;
  const read = yield* perform("file", sideEffectPath(context.path, "items"), {
    ask,
    workspace: context.workspace,
  });
  if ("text" in read) return read.text;
  throw new EffectFailedError("node-failed", `the items of ${id} are in ${file}: ${read.because}`);
}
