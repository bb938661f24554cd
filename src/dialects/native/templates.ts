import { parseExpression } from "../../expressions/cel.ts";
import { parseCondition } from "../../expressions/condition.ts";
import { issueNames, parseText, type TemplatePosition } from "../../expressions/dollar-template.ts";
import { type ExpressionFault, expressionHint } from "../../expressions/expression-error.ts";
import { parseShell } from "../../expressions/shell.ts";
import type { Condition, Expression, Reference, ShellText, Text } from "../../expressions/template.ts";
import { listNames } from "../../ports/nearest-word.ts";
import type { SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
import { type Names, plainNames } from "./names-in-scope.ts";
import type { ReaderContext } from "./reader-context.ts";

/** A text of the file, with the names it can reference. */
export interface TemplateSource {
  readonly source: string;
  readonly at: SourcePath;
  readonly names: Names;
  /** The file of the text, if it is another one; positions are then only its name. */
  readonly file?: string;
  /** Program text: unknown names may be the program's own variables. */
  readonly isCode?: boolean;
}

/** Maximum diagnostics of one text, since each needs a search for its position. */
const maxFaults = 20;

/** A text with its references, for people and agents. */
export function readText(reader: ReaderContext, written: TemplateSource): Text {
  if (!written.source.includes("$")) return [written.source];
  const { text, places, unknown } = parseText(written.source, { known: knownIn(written) });
  checkPlaces(reader, written, places);
  for (const name of written.isCode ? [] : unknown.slice(0, maxFaults)) strangeName(reader, written, name);
  return text.map((part) => (typeof part === "string" ? part : marked(part, written.names)));
}

/** In program text, names such as `CONTEXT` are variables of the program. */
const knownIn = ({ names, isCode }: TemplateSource): ReadonlySet<string> =>
  isCode === true ? new Set([...names.values].filter((name) => !issueNames.includes(name))) : names.values;

/** A field that the answer may lack, because the format does not declare it. */
function marked(reference: Reference, names: Names): Reference {
  return reference.ref === "output" && isUndeclared(reference, names)
    ? { ...reference, undeclared: true }
    : reference;
}

/** Bash source whose references were replaced by variables. */
export function readShell(reader: ReaderContext, written: TemplateSource): ShellText {
  refuseUnset(reader, written);
  const strict = reader.files.isArchons ? {} : { strict: true as const };
  if (!written.source.includes("$")) return { script: written.source, variables: {}, ...strict };
  const { text, places } = parseShell(written.source, { known: knownIn({ ...written, isCode: true }) });
  checkPlaces(reader, written, places);
  const variables = Object.entries(text.variables).map(
    ([name, reference]) => [name, marked(reference, written.names)] as const,
  );
  return { ...text, variables: Object.fromEntries(variables), ...strict };
}

/** Archon's variables that have no value here: a shell would silently treat them as empty. */
const unset =
  /\$(?:\{(?=\w+\}))?(CONTEXT|EXTERNAL_CONTEXT|ISSUE_CONTEXT|TYPED_ARTIFACTS_FILE|ADOPTED_RUN_DIR)(?!\w)/g;

function refuseUnset(reader: ReaderContext, { source, at }: TemplateSource): void {
  for (const name of new Set([...source.matchAll(unset)].map(([, name = ""]) => name))) {
    if (
      new RegExp(`(?:^|[\\s;&|({])(?:${name}=|(?:read|for|local|export)\\b[^\\n]*\\b${name}\\b)`).test(source)
    )
      continue;
    const message = `\`$${name}\` has no value here.`;
    const hint = `Use $USER_MESSAGE, or write \${${name}:-} where it may be empty.`;
    reportFault(reader, "UNKNOWN_REFERENCE", { message, at, offset: source.search(unset), hint });
  }
}

/** A `when` condition. */
export function readCondition(reader: ReaderContext, written: TemplateSource): Condition | undefined {
  const parsed = parseCondition(written.source, {
    known: written.names.values,
    names: plainNames(written.names),
  });
  if ("because" in parsed) return badExpression(reader, written, parsed);
  checkPlaces(reader, written, parsed.places);
  return parsed.condition;
}

/** A CEL expression. */
export function readExpression(reader: ReaderContext, written: TemplateSource): Expression | undefined {
  const parsed = parseExpression(written.source, {
    known: written.names.values,
    names: plainNames(written.names),
  });
  if ("because" in parsed) return badExpression(reader, written, parsed);
  checkPlaces(reader, written, parsed.places);
  return parsed.expression;
}

function badExpression(
  reader: ReaderContext,
  { source, at }: TemplateSource,
  { because, offset }: ExpressionFault,
): undefined {
  const before = source.slice(0, offset ?? 0).trim();
  const place = because.startsWith("unexpected") && before !== "" ? ` after \`${before.slice(-40)}\`` : "";
  const hint = offset === undefined ? undefined : expressionHint(source, offset);
  reportFault(reader, "BAD_EXPRESSION", {
    message: `This is not a valid CEL expression: ${because}${place}.`,
    at,
    offset,
    hint,
  });
}

function strangeName(reader: ReaderContext, { source, at, names, file }: TemplateSource, name: string): void {
  const offset = file === undefined ? offsetOf(source, `$${name}`) : undefined;
  const hint = names.exists(name) ? `A node's output is \`$${name}.output\`.` : nearName(name, names);
  // Archon's prompts contain shell commands, whose variables nothing else checks.
  if (reader.files.isArchons === true && hint === undefined) return;
  const message = `${inFile(file)}\`$${name}\` is not a known name; it stays as written.`;
  reportFault(reader, "UNKNOWN_REFERENCE", { message, at, offset, hint, warning: true });
}

/** The position of the first whole occurrence of a word. */
function offsetOf(source: string, name: string): number {
  let at = source.indexOf(name);
  while (at >= 0 && /\w/.test(source.charAt(at + name.length))) at = source.indexOf(name, at + 1);
  return at;
}

function nearName(name: string, { values }: Names): string | undefined {
  return didYouMean(
    `$${name}`,
    [...values].map((value) => `$${value}`),
  );
}

function checkPlaces(
  reader: ReaderContext,
  written: TemplateSource,
  places: readonly TemplatePosition[],
): void {
  const reported = new Set<string>();
  for (const { reference, offset } of places) {
    if (reported.size >= maxFaults) return;
    const problem = problemOf(reference, reader, written);
    if (problem === undefined || reported.has(problem.message)) continue;
    reported.add(problem.message);
    reportFault(reader, "UNKNOWN_REFERENCE", {
      ...problem,
      message: `${inFile(written.file)}${problem.message}`,
      at: written.at,
      offset: written.file === undefined ? offset : undefined,
    });
  }
}

/**
 * As in Archon, a node that has not ended before a text reads as empty text: in command files, which workflows share,
 * and in Archon's own folder, where only its fields are errors and a command file may name nodes of other workflows.
 */
function mayBeEmpty(
  reference: OutputReference,
  { files }: ReaderContext,
  { file, names }: TemplateSource,
): boolean {
  if (!(names.within(reference.node) || names.exists(reference.node)))
    return file !== undefined && files.isArchons === true;
  return file !== undefined || (files.isArchons === true && reference.field === undefined);
}

type FieldReference = Extract<Reference, { ref: "output" | "previous" }>;
type OutputReference = Extract<Reference, { ref: "output" }>;

interface Problem {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly warning?: boolean;
}

function problemOf(
  reference: Reference,
  reader: ReaderContext,
  written: TemplateSource,
): Problem | undefined {
  const { inputs, faults } = reader;
  const { names } = written;
  switch (reference.ref) {
    case "value":
    case "shared":
      return undefined;
    case "item":
      return names.hasItem ? undefined : { message: "`$LOOP_ITEM` has a value only in a `for_each`." };
    case "input":
      if (inputs.has(reference.name)) return undefined;
      return {
        message: `The input \`${reference.name}\` is not declared under \`inputs\`.`,
        hint: didYouMean(reference.name, [...inputs]) ?? `Add \`${reference.name}: {}\` under \`inputs:\`.`,
        warning: true,
      };
    case "previous":
      if (names.previous(reference.node)) return undeclaredField(reference, names);
      return { message: `\`$LOOP_PREV.${reference.node}\` names no node in the body of an enclosing loop.` };
    case "output": {
      const unfinished = outputProblem(reference.node, names, faults.length < 50);
      if (unfinished === undefined) return undeclaredField(reference, names);
      return mayBeEmpty(reference, reader, written) ? { ...unfinished, warning: true } : unfinished;
    }
  }
}

function outputProblem(node: string, names: Names, isEarly: boolean): Problem | undefined {
  if (names.sees(node) || names.waitsFor(node)) return undefined;
  if (names.within(node)) {
    const hint = "`$LOOP_PREV_OUTPUT` is the output of a loop's previous iteration.";
    return { message: `\`${node}\` is not finished when this text is used: this text is inside it.`, hint };
  }
  if (names.exists(node)) {
    return {
      message: `\`${node}\` is not finished before this text is used.`,
      hint: `Add depends_on: [${node}].`,
    };
  }
  const known = isEarly ? names.candidates().slice(0, 1000) : [];
  const hint =
    didYouMean(node, known) ??
    listNames(
      "nodes",
      known.filter((it) => !names.within(it)),
    );
  return { message: `There is no node \`${node}\`.`, hint };
}

/** A field that its node does not declare. If the format allows others, only an answer without it is an error. */
function undeclaredField(reference: FieldReference, names: Names): Problem | undefined {
  const { node, field = "" } = reference;
  const declared = names.fields(node);
  if (declared === undefined || !isUndeclared(reference, names)) return undefined;
  const listed = `It declares ${declared.names.slice(0, 10).join(", ")}.`;
  const message = `The \`output_format\` of \`${node}\` declares no \`${field}\`.`;
  const hint = didYouMean(field, declared.names.slice(0, 1000)) ?? listed;
  return { message, hint, warning: declared.allowsOthers };
}

function isUndeclared({ node, field }: FieldReference, names: Names): boolean {
  const declared = field === undefined ? undefined : names.fields(node);
  return field !== undefined && declared !== undefined && !declared.names.includes(field);
}

const inFile = (file: string | undefined): string => (file === undefined ? "" : `In ${file}: `);
