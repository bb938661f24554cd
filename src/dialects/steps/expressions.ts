import { checkExpression } from "../../expr/cel.ts";
import { type Rewritten, rewrite } from "../../expr/rewritten.ts";
import type { Binding, Expression } from "../../expr/text.ts";
import type { At } from "../shape.ts";
import { note, type Sheet } from "./sheet.ts";

/** Which steps an expression can name, and those its step depends on. */
export interface Visible {
  readonly ids: readonly string[];
  readonly after: readonly string[];
}

const names = ["steps", "iteration", "item", "index", "content", "result", "status"];

/** Reads an expression in CEL; a fault and nothing where it is none. */
export function readExpression(
  sheet: Sheet,
  { source, at }: { readonly source: string; readonly at: At },
  visible: Visible,
): Expression | undefined {
  const { text, back } = indexed(source, visible.ids);
  const wrong = checkExpression(text, names);
  if (wrong === undefined) return { source: text, variables: {}, bind: bindings(visible) };
  const offset = wrong.offset === undefined ? {} : { offset: back(wrong.offset) };
  note(sheet, "BAD_EXPRESSION", {
    message: `This is no expression in CEL: ${wrong.because}.`,
    at,
    ...offset,
  });
  return undefined;
}

function bindings({ ids, after }: Visible): Readonly<Record<string, Binding>> {
  // The one that comes last by name is the one whose content counts.
  const nodes = [...after].sort();
  return {
    steps: { of: "nodes", ids: [...new Set(ids)] },
    iteration: { of: "iteration", from: 0 },
    item: { of: "item" },
    index: { of: "index" },
    content: { of: "content", nodes },
    result: { of: "result", nodes },
    status: { of: "status", nodes },
  };
}

const stringOrStep =
  /\b[rR][bB]?(?:"[^"\n]*"|'[^'\n]*')|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<![\w.])steps\s*\.\s*([A-Za-z_][\w-]*)/g;

/** Writes `steps.an-id` as `steps["an-id"]`: to CEL a hyphen is a minus, and words such as `loop` are its own. */
function indexed(source: string, ids: readonly string[]): Rewritten {
  const longestFirst = [...ids].sort((a, b) => b.length - a.length);
  const replacements = [...source.matchAll(stringOrStep)].flatMap(({ 0: whole, 1: name, index }) => {
    const id = longestFirst.find((it) => name === it || name?.startsWith(`${it}-`));
    if (name === undefined || id === undefined) return [];
    return [{ from: index, to: index + whole.length, by: `steps["${id}"]${name.slice(id.length)}` }];
  });
  return rewrite(source, replacements);
}
