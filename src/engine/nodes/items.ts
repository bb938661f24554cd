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
import { outcomeOfProcess } from "./node-outcome.ts";

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

const maxBytes = 256 * 1024;

/** The path is data: it never becomes a part of the script. */
const script = `case "/$ITEMS_FILE/" in //* | */../*)
  echo 'it is outside of the checkout' >&2; exit 1 ;;
esac
[ -f "$ITEMS_FILE" ] || { echo 'there is no such file' >&2; exit 1; }
[ "$(wc -c <"$ITEMS_FILE")" -le ${maxBytes} ] || { echo 'it is larger than 256 KiB' >&2; exit 1; }
cat -- "$ITEMS_FILE"`;

/** The text of the file of items, which an earlier node may have written. */
function* readItems(file: string, id: string, context: ExecutionContext): Operation<string> {
  const ask = { role: "node" as const, script, env: { ITEMS_FILE: file }, timeoutMs: 120_000 };
  const answer = yield* perform("shell", sideEffectPath(context.path, "items"), {
    ask,
    workspace: context.workspace,
  });
  const read = outcomeOfProcess(answer, file);
  if (read.status === "completed") return read.output;
  const because = answer.tail.trim() === "" ? "it cannot be read" : answer.tail.trim();
  throw new EffectFailedError("node-failed", `the items of ${id} are in ${file}: ${because}`);
}
