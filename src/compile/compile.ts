import { type Files, isInArchonsFolder, type Reading } from "../dialects/dialect.ts";
import { dialects } from "../dialects/index.ts";
import type { Diagnostic, Fault } from "../plan/diagnostic.ts";
import type { Plan } from "../plan/plan.ts";
import { lazyModule, withLazyModules } from "../ports/lazy-module.ts";
import { noDialectFault } from "./dialect-hint.ts";
import { remedies } from "./remedies.ts";
import type { SourcePosition, SourcePositions } from "./source-positions.ts";

/** A plan, or all diagnostics of the file and the workflows it calls, sorted by file and position. */
export type Compiled =
  | {
      readonly ok: true;
      readonly plan: Plan;
      readonly dialect: string;
      readonly warnings: readonly Diagnostic[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export interface WorkflowFile {
  readonly text: string;
  /** Its path as people see it. */
  readonly file: string;
  /** The parsed value, if known without parsing the text. */
  readonly value?: unknown;
}

/** The YAML parser. A resumed run, or one without a file, does not need it. */
export const yaml = lazyModule(() => import("./parse-yaml.ts"));

const maxDepth = 5;
const maxWorkflows = 200;
const maxFaults = 1000;

/** Compiles a workflow file, and the files it calls, to a plan; loads the modules that this needs. */
export const loadAndCompile = (workflow: WorkflowFile, files: Files): Promise<Compiled> =>
  withLazyModules(() => compile(workflow, files));

/** The synchronous version. Throws only `NotLoadedError`, if a module is not loaded. */
export function compile(workflow: WorkflowFile, files: Files): Compiled {
  const shared: Shared = { files, read: new Map(), count: 0 };
  const { plan, diagnostics } = link(workflow, {
    shared,
    stack: [workflow.file],
    folder: "",
    isGiven: () => false,
  });
  const sorted = unique(diagnostics);
  if (plan === undefined || sorted.some((it) => !it.warning)) return { ok: false, diagnostics: sorted };
  return { ok: true, plan, dialect: plan.dialect, warnings: sorted };
}

/** State shared by all files of one compilation. */
interface Shared {
  readonly files: Files;
  /** Each file is read only once, even if several files call it. */
  readonly read: Map<string, ReadFile>;
  /** Calls followed so far. */
  count: number;
}

/** One file, without the files it calls. */
interface ReadFile extends Placed {
  readonly reading: Reading;
  readonly diagnostics: readonly FileDiagnostic[];
}

interface FileDiagnostic {
  readonly diagnostic: Diagnostic;
  readonly unlessGiven?: string | undefined;
}

interface Placed {
  readonly file: string;
  readonly places: SourcePositions;
}

interface CallStack {
  readonly shared: Shared;
  /** The chain of calling files, the current one last. */
  readonly stack: readonly string[];
  /** The folder part of the name by which the workflow was called. Names in the file are also looked up there. */
  readonly folder: string;
  /** True if the caller passes this input. */
  isGiven(input: string): boolean;
}

interface Linked {
  readonly plan: Plan | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

function link(workflow: WorkflowFile, { shared, stack, folder, isGiven }: CallStack): Linked {
  const read = shared.read.get(workflow.file) ?? readFile(workflow, shared.files);
  shared.read.set(workflow.file, read);
  const diagnostics = read.diagnostics.flatMap(({ diagnostic, unlessGiven }) =>
    unlessGiven !== undefined && isGiven(unlessGiven) ? [] : [diagnostic],
  );
  const workflows: Record<string, Plan> = {};
  const { calls } = read.reading;
  for (const { workflow: name, at, hint } of calls) {
    if (Object.hasOwn(workflows, name)) continue;
    const callee = shared.files.workflow(name) ?? (folder ? shared.files.workflow(folder + name) : undefined);
    const fault = callFault({ workflow: name, at, hint, file: callee?.file, stack, count: ++shared.count });
    if (fault) diagnostics.push(located(fault, read));
    if (fault || callee === undefined) continue;
    const isGiven = (input: string) =>
      calls.every(({ workflow, gives = [] }) => workflow !== name || gives.includes(input));
    const child = link(callee, { shared, stack: [...stack, callee.file], folder: folderOf(name), isGiven });
    diagnostics.push(...child.diagnostics);
    if (child.plan) workflows[name] = child.plan;
  }
  return { plan: read.reading.plan && { ...read.reading.plan, workflows }, diagnostics };
}

const folderOf = (name: string): string => name.slice(0, name.lastIndexOf("/") + 1);

const unread: Reading = { faults: [], plan: undefined, calls: [] };

function readFile({ text, file, value: known }: WorkflowFile, files: Files): ReadFile {
  const { source, dialect } = known === undefined ? readText(text) : unparsed(known);
  const { value, faults, places } = source;
  const placed: Placed = { file, places };
  const diagnostics: readonly FileDiagnostic[] = faults.map(({ offset: _, first: __, ...it }) => ({
    diagnostic: { hint: remedies[it.code], ...it, file },
  }));
  if (value === undefined) return { ...placed, reading: unread, diagnostics };
  const isArchons = isInArchonsFolder(file);
  const reading = dialect?.read(value, { ...files, ...files.packaged?.(file), parse, isArchons }) ?? {
    ...unread,
    faults: [noDialectFault(value)],
  };
  // Positions of faults are known only after parsing.
  if (known !== undefined && reading.faults.length > 0) return readFile({ text, file }, files);
  return {
    ...placed,
    reading,
    diagnostics: [
      ...diagnostics,
      ...worst(reading.faults).map((it) => ({
        diagnostic: located(it, placed),
        unlessGiven: it.unlessGiven,
      })),
    ],
  };
}

/** Parses another document that a dialect needs, such as a configuration file. */
function parse(text: string): { readonly value: unknown; readonly because?: string } {
  const { value, faults } = yaml.get().readSource(text);
  const [fault] = faults;
  return fault === undefined ? { value } : { value, because: `line ${fault.line}: ${fault.message}` };
}

/** A source for a value that was never text. */
function unparsed(value: unknown) {
  const places: SourcePositions = () => ({ line: 1, column: 1 });
  return { source: { value, faults: [], places }, dialect: dialects.find((it) => it.claims(value)) };
}

/** Parses the text; with repeatable keys if the dialect allows them. */
function readText(text: string) {
  const { readSource } = yaml.get();
  const source = readSource(text);
  const dialect = dialects.find((it) => source.value !== undefined && it.claims(source.value));
  const repeats = source.faults.some(({ code }) => code === "DUPLICATE_KEY");
  if (dialect?.repeatable === undefined || !repeats) return { source, dialect };
  return { source: readSource(text, dialect.repeatable), dialect };
}

/** The most important diagnostics, limited to a readable number; errors before warnings. */
function worst(faults: readonly Fault[]): readonly Fault[] {
  if (faults.length <= maxFaults) return faults;
  const errors = faults.filter((fault) => !fault.warning);
  return [...errors, ...faults.filter((fault) => fault.warning)].slice(0, maxFaults);
}

interface CallSource {
  readonly workflow: string;
  readonly at: Fault["at"];
  readonly hint: string | undefined;
  readonly file: string | undefined;
  readonly stack: readonly string[];
  readonly count: number;
}

const lookedFor =
  "Workflows are searched for next to the file, in .github/loops/, .archon/workflows/ and custom/workflows/.";

function callFault({ workflow, at, hint = lookedFor, file, stack, count }: CallSource): Fault | undefined {
  if (file === undefined) {
    return { code: "UNKNOWN_WORKFLOW", message: `There is no workflow \`${workflow}\`.`, at, hint };
  }
  if (stack.includes(file)) {
    const path = [...stack.slice(stack.indexOf(file)), file].join(" → ");
    return { code: "CALL_CYCLE", message: `These workflows call each other: ${path}.`, at };
  }
  if (stack.length > maxDepth) {
    return { code: "LIMIT", message: `Workflows call each other more than ${maxDepth} deep.`, at };
  }
  if (count <= maxWorkflows) return undefined;
  return { code: "LIMIT", message: `More than ${maxWorkflows} workflows are called in all.`, at };
}

function located(
  { code, message, at, onKey, offset, first, warning, hint = warning ? undefined : remedies[code] }: Fault,
  { file, places }: Placed,
): Diagnostic {
  const { line, column }: SourcePosition = places(at, { onKey, offset });
  return {
    code,
    message: shortened(
      message.replace(/\.$/, first === undefined ? "." : `, on line ${places(first).line}.`),
    ),
    file,
    line,
    column,
    ...(hint === undefined ? {} : { hint: shortened(hint) }),
    ...(warning ? { warning } : {}),
  };
}

const longestText = 1000;

/** Diagnostics may quote text of a file, but only in part. */
const shortened = (text: string): string =>
  text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text;

/** Sorted by file and position, errors first; a child called from several places is reported once. */
function unique(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Map(diagnostics.map((it) => [JSON.stringify(it), it]));
  const order = new Map(
    [...new Set(diagnostics.map(({ file }) => file))].map((file, index) => [file, index]),
  );
  const rank = ({ file, line, column, warning }: Diagnostic) => [
    order.get(file) ?? 0,
    line,
    column,
    warning ? 1 : 0,
  ];
  const ranked = [...seen.values()].map((it) => ({ it, rank: rank(it) }));
  return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ it }) => it);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value - (b[index] ?? 0);
  return 0;
}
