import { CORE_SCHEMA, dump } from "js-yaml";
import { codeIn } from "../dialects/blocks/program.ts";
import type { Files } from "../dialects/dialect.ts";
import { native } from "../dialects/native/index.ts";
import { documentOf } from "../dialects/native/write/document.ts";
import { inNativeWords } from "../dialects/native/write/graph.ts";
import type { Diagnostic } from "../plan/diagnostic.ts";
import type { Plan } from "../plan/plan.ts";
import { compile, type WorkflowFile } from "./compile.ts";
import { readSource } from "./source.ts";

/** A native file that does the same, with what is not quite the same; or why there is none. */
export type Converted =
  | {
      readonly ok: true;
      readonly text: string;
      readonly notes: readonly string[];
      readonly warnings: readonly Diagnostic[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/**
 * Writes a workflow of any language as a native file. What comes out is compiled again and compared: it means the plan
 * it was written from, or it is not handed out.
 */
export function convert(workflow: WorkflowFile, files: Files): Converted {
  const compiled = compile(workflow, files);
  if (!compiled.ok) return compiled;
  const { warnings } = compiled;
  if (compiled.dialect === native.name) return { ok: true, text: workflow.text, notes: [], warnings };
  const { plan, notes, lacks } = inNativeWords(compiled.plan, codeIn);
  const refuse = (message: string, node?: string): Diagnostic => ({
    code: "BAD_VALUE",
    message: node === undefined ? message : `\`${node}\` cannot be carried over: ${message}`,
    file: workflow.file,
    ...placeOf(workflow.text, node),
  });
  if (lacks.length > 0)
    return { ok: false, diagnostics: lacks.map(({ node, message }) => refuse(message, node)) };
  const text = write(plan, { notes: [...notes], from: compiled.dialect });
  const difference = differenceOf(plan, text, files);
  if (difference !== undefined) return { ok: false, diagnostics: [refuse(difference)] };
  return { ok: true, text, notes: [...notes], warnings };
}

interface About {
  readonly notes: readonly string[];
  readonly from: string;
}

function write(plan: Plan, { notes, from }: About): string {
  const head = [`Converted from a \`${from}\` file.`, ...notes].map((line) => `# ${line}\n`).join("");
  const body = dump(documentOf(plan), { schema: CORE_SCHEMA, lineWidth: 110, noRefs: true });
  return head + body;
}

/** Where the written file means something else than the plan, in words; nothing where it means the same. */
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

/** Where a node stands in its file: the mapping that bears its name. */
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
