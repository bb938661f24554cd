import { Document } from "yaml";
import { compile, type WorkflowFile } from "../../src/compile/compile.ts";
import { readSource } from "../../src/compile/parse-yaml.ts";
import { codeIn } from "../../src/dialects/blocks/program.ts";
import type { Files } from "../../src/dialects/dialect.ts";
import { native } from "../../src/dialects/native/index.ts";
import type { Diagnostic } from "../../src/plan/diagnostic.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { documentOf } from "./document.ts";
import { toNativePlan } from "./graph.ts";
import { addComments, commentsIn } from "./source-comments.ts";

/** An equivalent native file, with its remaining differences; or why there is none. */
export type Converted =
  | {
      readonly ok: true;
      readonly text: string;
      readonly notes: readonly string[];
      readonly warnings: readonly Diagnostic[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/**
 * Converts a workflow of any language to a native file. The result is compiled and compared: it is returned only if
 * its plan is equivalent.
 */
export function convert(workflow: WorkflowFile, files: Files): Converted {
  const compiled = compile(workflow, files);
  if (!compiled.ok) return compiled;
  const { warnings } = compiled;
  if (compiled.dialect === native.name) return { ok: true, text: workflow.text, notes: [], warnings };
  const { plan, notes, gaps } = toNativePlan(compiled.plan, codeIn);
  const refuse = (message: string, node?: string): Diagnostic => ({
    code: "BAD_VALUE",
    message: node === undefined ? message : `\`${node}\` cannot be carried over: ${message}`,
    file: workflow.file,
    ...placeOf(workflow.text, node),
  });
  if (gaps.length > 0)
    return { ok: false, diagnostics: gaps.map(({ node, message }) => refuse(message, node)) };
  const text = write(plan, { notes, dialect: compiled.dialect, source: workflow.text });
  const difference = differenceOf(plan, text, files);
  if (difference !== undefined) return { ok: false, diagnostics: [refuse(difference)] };
  return { ok: true, text, notes: [...notes], warnings };
}

interface WrittenFrom {
  readonly notes: Iterable<string>;
  readonly dialect: string;
  readonly source: string;
}

/** The native file of a plan, with the comments of the original file. */
function write(plan: Plan, { notes, dialect, source }: WrittenFrom): string {
  const document = new Document(documentOf(plan), { aliasDuplicateObjects: false });
  document.commentBefore = [`Converted from a \`${dialect}\` file.`, ...notes]
    .map((line) => ` ${line}`)
    .join("\n");
  addComments(document, commentsIn(source));
  return document.toString({ lineWidth: 110 });
}

/** How the written file differs in meaning from the plan; `undefined` if it does not. */
function differenceOf(plan: Plan, text: string, files: Files): string | undefined {
  const again = compile({ text, file: "the native file" }, files);
  if (!again.ok) {
    const [first] = again.diagnostics.filter(({ warning }) => !warning);
    return `The native file would not be right: ${first?.message ?? "it does not compile."}`;
  }
  const at = firstDifference(plan, again.plan, []);
  return at === undefined ? undefined : `A native file would mean something else at ${at.join(".")}.`;
}

function firstDifference(one: unknown, other: unknown, at: readonly string[]): readonly string[] | undefined {
  if (one === other) return undefined;
  if (!isObject(one) || !isObject(other)) return at;
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const found = firstDifference(one[key], other[key], [...at, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Mapping = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Mapping => typeof value === "object" && value !== null;

/** The position of a node in its file: the mapping with its name. */
function placeOf(text: string, node: string | undefined): { readonly line: number; readonly column: number } {
  const { value, places } = readSource(text, new Set(["steps", "loops"]));
  const at = node === undefined ? undefined : pathTo(value, node, []);
  return places(at ?? [], { onKey: at !== undefined });
}

function pathTo(value: unknown, node: string, at: readonly (string | number)[]): typeof at | undefined {
  if (!isObject(value)) return undefined;
  if (at.length > 0 && (value["id"] === node || value["name"] === node)) return at;
  for (const [key, inner] of Object.entries(value)) {
    if (at.at(-1) === "blocks" && key === node) return [...at, key];
    const found = pathTo(inner, node, [...at, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
