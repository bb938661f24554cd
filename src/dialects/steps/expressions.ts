import { checkExpression } from "../../expressions/cel.ts";
import { type RewrittenSource, rewrite } from "../../expressions/source-map.ts";
import type { Binding, Expression } from "../../expressions/template.ts";
import type { SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { didYouMean, namesHere } from "../value-remedy.ts";
import type { ReaderContext } from "./reader-context.ts";

/** The steps that an expression can name, and the dependencies of its own step. */
export interface Visible {
  readonly ids: readonly string[];
  readonly after: readonly string[];
}

const names = ["steps", "iteration", "item", "index", "content", "result", "status"];

/** Reads a CEL expression. If it does not parse or names an unknown step, reports that and returns `undefined`. */
export function readExpression(
  reader: ReaderContext,
  { source, at }: { readonly source: string; readonly at: SourcePath },
  visible: Visible,
): Expression | undefined {
  const named = stepsNamed(source, visible.ids);
  const strange = named.filter(({ id }) => id === undefined);
  for (const { name, offset } of strange.slice(0, mostFaults)) {
    const hint = reader.faults.length < 50 ? namesHere(name, visible.ids, "steps") : undefined;
    reportFault(reader, "UNKNOWN_REFERENCE", {
      message: `There is no step \`${name}\` here.`,
      at,
      offset,
      hint,
    });
  }
  const fields = fieldsNamed(source, named).filter(({ field }) => !stepFields.includes(field));
  for (const { field, offset } of fields.slice(0, mostFaults)) {
    const hint = didYouMean(field, stepFields) ?? "A step has content, result and status.";
    reportFault(reader, "UNKNOWN_REFERENCE", { message: `A step has no \`${field}\`.`, at, offset, hint });
  }
  const { text, back } = indexed(source, named);
  const wrong = checkExpression(text, names);
  if (wrong === undefined && strange.length + fields.length > 0) return undefined;
  if (wrong === undefined) return { source: text, variables: {}, bind: bindings(visible) };
  const offset = wrong.offset === undefined ? {} : { offset: back(wrong.offset) };
  return reportFault(reader, "BAD_EXPRESSION", {
    message: `This is not a valid CEL expression: ${wrong.because}.`,
    at,
    ...offset,
  });
}

function bindings({ ids, after }: Visible): Readonly<Record<string, Binding>> {
  // The output of the step whose name comes last counts.
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

/** Maximum diagnostics of one expression. */
const mostFaults = 20;

const stringOrStep =
  /\b[rR][bB]?(?:"[^"\n]*"|'[^'\n]*')|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<![\w.])steps\s*(?:\.\s*([A-Za-z_][\w-]*)(?!\w*\s*\()|\[\s*(?:"([\w-]+)"|'([\w-]+)')\s*\])/g;

interface StepReference {
  readonly name: string;
  /** The step that a name stands for; the rest of the name is a subtraction. */
  readonly id: string | undefined;
  /** The position of the name, and all names of the step. */
  readonly offset: number;
  readonly from: number;
  readonly to: number;
  readonly isDotted: boolean;
}

function stepsNamed(source: string, ids: readonly string[]): readonly StepReference[] {
  const longestFirst = [...ids].sort((a, b) => b.length - a.length);
  return [...source.matchAll(stringOrStep)].flatMap(({ 0: whole, 1: dotted, 2: one, 3: other, index }) => {
    const name = dotted ?? one ?? other;
    if (name === undefined) return [];
    const isDotted = dotted !== undefined;
    const id = longestFirst.find((it) => name === it || (isDotted && name.startsWith(`${it}-`)));
    const offset = index + whole.lastIndexOf(name);
    return [{ name, id, offset, from: index, to: index + whole.length, isDotted }];
  });
}

const stepFields = ["content", "result", "status"];

/** The fields of a step that an expression can read. */
function fieldsNamed(source: string, named: readonly StepReference[]) {
  return named.flatMap(({ name, id, to }) => {
    const match = id === name ? /^\s*\.\s*([A-Za-z_]\w*)(?!\w*\s*\()/.exec(source.slice(to, to + 200)) : null;
    const [whole, field] = match ?? [];
    return whole === undefined || field === undefined
      ? []
      : [{ field, offset: to + whole.length - field.length }];
  });
}

/** Rewrites `steps.an-id` as `steps["an-id"]`: in CEL a hyphen is a minus, and words such as `loop` are reserved. */
function indexed(source: string, named: readonly StepReference[]): RewrittenSource {
  const replacements = named.flatMap(({ name, id = name, from, to, isDotted }) =>
    isDotted ? [{ from, to, by: `steps["${id}"]${name.slice(id.length)}` }] : [],
  );
  return rewrite(source, replacements);
}
