import { parseExpression } from "../../expr/cel.ts";
import { parseCondition } from "../../expr/condition.ts";
import { type Place, parseText } from "../../expr/dollar.ts";
import { parseShell } from "../../expr/shell.ts";
import type { Condition, Expression, Reference, ShellText, Text } from "../../expr/text.ts";
import { note } from "../note.ts";
import { type At, didYouMean } from "../shape.ts";
import { type Names, plainNames } from "./names.ts";
import type { Sheet } from "./sheet.ts";

/** A text of the file, with what it may name. */
export interface Written {
  readonly source: string;
  readonly at: At;
  readonly names: Names;
  /** The file the text comes from, where that is another one; places then are only those of its name. */
  readonly file?: string;
  /** Program text: unknown names are none of our business. */
  readonly isCode?: boolean;
}

/** Faults told of one text: more help nobody, and each takes a search for its place. */
const maxFaults = 20;

/** A text with its references, for people and agents. */
export function readText(sheet: Sheet, written: Written): Text {
  if (!written.source.includes("$")) return [written.source];
  const { text, places, unknown } = parseText(written.source, { known: written.names.values });
  checkPlaces(sheet, written, places);
  for (const name of written.isCode ? [] : unknown.slice(0, maxFaults)) strangeName(sheet, written, name);
  return text;
}

/** Bash source with its references made safe. */
export function readShell(sheet: Sheet, written: Written): ShellText {
  if (!written.source.includes("$")) return { script: written.source, variables: {} };
  const { text, places } = parseShell(written.source, { known: written.names.values });
  checkPlaces(sheet, written, places);
  return text;
}

/** A `when`. */
export function readCondition(sheet: Sheet, written: Written): Condition | undefined {
  const parsed = parseCondition(written.source, {
    known: written.names.values,
    names: plainNames(written.names),
  });
  if ("because" in parsed) return badExpression(sheet, written, parsed);
  checkPlaces(sheet, written, parsed.places);
  return parsed.condition;
}

/** A CEL expression. */
export function readExpression(sheet: Sheet, written: Written): Expression | undefined {
  const parsed = parseExpression(written.source, {
    known: written.names.values,
    names: plainNames(written.names),
  });
  if ("because" in parsed) return badExpression(sheet, written, parsed);
  checkPlaces(sheet, written, parsed.places);
  return parsed.expression;
}

function badExpression(
  sheet: Sheet,
  { at }: Written,
  bad: { readonly because: string; readonly offset?: number },
): undefined {
  note(sheet, "BAD_EXPRESSION", { message: `This is no expression: ${bad.because}`, at, offset: bad.offset });
}

function strangeName(sheet: Sheet, { source, at, names, file }: Written, name: string): void {
  const offset = file === undefined ? offsetOf(source, `$${name}`) : undefined;
  const hint = names.exists(name) ? `A node's output is \`$${name}.output\`.` : nearName(name, names);
  const message = `${inFile(file)}\`$${name}\` is not a known name; it stays as it is written.`;
  note(sheet, "UNKNOWN_REFERENCE", { message, at, offset, hint, warning: true });
}

/** Where a word stands for the first time, not as the beginning of a longer one. */
function offsetOf(source: string, word: string): number {
  let at = source.indexOf(word);
  while (at >= 0 && /\w/.test(source.charAt(at + word.length))) at = source.indexOf(word, at + 1);
  return at;
}

function nearName(name: string, { values }: Names): string | undefined {
  return didYouMean(
    `$${name}`,
    [...values].map((value) => `$${value}`),
  );
}

function checkPlaces(sheet: Sheet, written: Written, places: readonly Place[]): void {
  const told = new Set<string>();
  for (const { reference, offset } of places) {
    if (told.size >= maxFaults) return;
    const problem = problemOf(reference, sheet, written.names);
    if (problem === undefined || told.has(problem.message)) continue;
    told.add(problem.message);
    note(sheet, "UNKNOWN_REFERENCE", {
      ...problem,
      message: `${inFile(written.file)}${problem.message}`,
      at: written.at,
      offset: written.file === undefined ? offset : undefined,
    });
  }
}

interface Problem {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly warning?: boolean;
}

function problemOf(reference: Reference, { inputs, faults }: Sheet, names: Names): Problem | undefined {
  switch (reference.ref) {
    case "value":
    case "shared":
      return undefined;
    case "item":
      return names.hasItem ? undefined : { message: "`$LOOP_ITEM` has a value in a `for_each` only." };
    case "input":
      if (inputs.has(reference.name)) return undefined;
      return {
        message: `The input \`${reference.name}\` is not declared under \`inputs\`.`,
        hint: didYouMean(reference.name, [...inputs]),
        warning: true,
      };
    case "previous":
      if (names.previous(reference.node)) return undefined;
      return { message: `\`$LOOP_PREV.${reference.node}\` names no node of a loop's body around it.` };
    case "output":
      return outputProblem(reference.node, names, faults.length < 50) ?? fieldProblem(reference, names);
  }
}

function outputProblem(node: string, names: Names, isEarly: boolean): Problem | undefined {
  if (names.sees(node)) return undefined;
  if (names.within(node)) {
    const hint = "`$LOOP_PREV_OUTPUT` is what a loop's iteration before said.";
    return { message: `\`${node}\` is not done while this text is used: it stands inside.`, hint };
  }
  if (names.exists(node)) {
    return {
      message: `\`${node}\` is not done before this text is used.`,
      hint: `Add depends_on: [${node}].`,
    };
  }
  const hint = isEarly ? didYouMean(node, names.candidates().slice(0, 1000)) : undefined;
  return { message: `There is no node \`${node}\`.`, hint };
}

/** A field that its node does not declare is empty text, as a rule by a slip of the pen. */
function fieldProblem(
  { node, field }: Extract<Reference, { ref: "output" }>,
  names: Names,
): Problem | undefined {
  const declared = names.fields(node);
  if (field === undefined || declared === undefined || declared.includes(field)) return undefined;
  return {
    message: `The \`output_format\` of \`${node}\` declares no \`${field}\`.`,
    hint: didYouMean(field, declared.slice(0, 1000)) ?? `It declares ${declared.slice(0, 10).join(", ")}.`,
    warning: true,
  };
}

const inFile = (file: string | undefined): string => (file === undefined ? "" : `In ${file}: `);
