import { joined } from "../../src/expressions/brace-template.ts";
import { parseExpression } from "../../src/expressions/cel.ts";
import { parseCondition } from "../../src/expressions/condition.ts";
import { valueNames } from "../../src/expressions/dollar-template.ts";
import type { Condition, Expression, Reference, Text } from "../../src/expressions/template.ts";
import { reportGap, type WriterPosition } from "./writer-context.ts";

/** A text with its references as native files have them. */
export const nativeText = (text: Text, position: WriterPosition): Text =>
  joined(text.map((part) => (typeof part === "string" ? part : (nativeReference(part, position) ?? ""))));

function nativeReference(reference: Reference, position: WriterPosition): Text[number] | undefined {
  switch (reference.ref) {
    case "value":
      return nativeValue(reference.name, position);
    case "input":
      return nativeInput(reference, position);
    case "output": {
      const { otherwise, ...rest } = reference;
      if (otherwise !== undefined && position.isConditional(reference.node))
        reportGap(
          position,
          `The text names \`${reference.node}\`, which may be skipped: the name would be empty then.`,
        );
      return { ...rest, node: position.idOf(reference.node) };
    }
    case "previous":
      return { ...reference, node: position.idOf(reference.node) };
    case "item":
      return reference;
    default:
      reportGap(position, "The text reads a scope that all nodes share.");
      return undefined;
  }
}

function nativeValue(name: string, position: WriterPosition): Reference | undefined {
  const known = valueNames.includes(name) ? name : position.gathered(name);
  if (known !== undefined) return { ref: "value", name: known };
  return reportGap(
    position,
    `The text reads ${wordsFor[name] ?? `\`${name}\`, which an earlier loop counted or collected`}.`,
  );
}

const wordsFor: Readonly<Record<string, string>> = {
  LOOP_INPUT:
    "the output of the previous iteration, or else the message, as the called workflow's input: pass parameters with `with`",
  LOOP_HISTORY: "the loop's history: use `accumulate` instead",
  LOOP_INDEX: "the position of the item",
  LOOP_TOTAL: "how many items there are",
  LOOP_SUCCEEDED: "how many items succeeded",
  LOOP_FAILED: "how many items failed",
};

function nativeInput(
  { name, otherwise }: Extract<Reference, { ref: "input" }>,
  position: WriterPosition,
): Text[number] {
  const { inputs } = position.writer;
  const before = inputs.get(name);
  if (!/^[A-Za-z_]\w*(?:-[A-Za-z_]\w*)*$/.test(name)) {
    // Nobody could set an input of this name, so its default is its value.
    if (otherwise !== undefined) return otherwise;
    reportGap(
      position,
      `A native file cannot have an input named \`${name}\`: use letters, digits and \`_\`, and begin with a letter.`,
    );
  }
  if (otherwise !== undefined && before !== undefined && before !== otherwise)
    reportGap(
      position,
      `If the input \`${name}\` is not set, its references stand for different texts: write all of them the same way.`,
    );
  if (otherwise !== undefined) inputs.set(name, otherwise);
  return { ref: "input", name };
}

/** The purpose of an expression, which determines what its plain names mean. */
export type Purpose = "condition" | "until" | "items";

/** An expression in CEL with the names of native files. */
export function nativeExpression(
  expression: Expression,
  position: WriterPosition,
  purpose: Purpose,
): Expression | undefined {
  if (expression.bind === undefined) return withNativeNames(expression, position);
  const text = withDollars(expression.source, position, purpose);
  const inside = position.isInLoop || purpose === "until";
  const parsed = text === undefined ? undefined : parseExpression(text, { names: inside ? loopNames : [] });
  if (parsed === undefined || "expression" in parsed) return parsed?.expression;
  return reportGap(position, `A native file cannot contain its expression: ${parsed.because}.`);
}

/** The same source, with references by the names of native nodes. */
function withNativeNames({ source, variables }: Expression, position: WriterPosition): Expression {
  const named = Object.entries(variables).flatMap(([name, reference]) => {
    const native = nativeReference(reference, position);
    return native === undefined || typeof native === "string" ? [] : [[name, native] as const];
  });
  return { source, variables: Object.fromEntries(named) };
}

const loopNames = ["output", "result", "iteration", "previous", "item", "index"];

const stringOrName =
  /\b[rR][bB]?(?:"[^"\n]*"|'[^'\n]*')|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<![\w.])(?:(content|result|status|iteration)\b|steps(?:\["([\w-]+)"\])?(?:\.(content|result\.\w+|\w+))?)/g;

/** The same with `$references`; `undefined` if it reads something that they cannot express. */
function withDollars(source: string, position: WriterPosition, purpose: Purpose): string | undefined {
  const before = position.writer.gaps.length;
  const text = source.replaceAll(stringOrName, (...found: readonly (string | undefined)[]) => {
    const [whole = "", plain, id, part] = found;
    if (plain !== undefined) return plainName(plain, position, purpose);
    if (!whole.startsWith("steps")) return whole;
    if (id !== undefined && part === "content") return `$${position.idOf(id)}.output`;
    if (
      id !== undefined &&
      part?.startsWith("result.") &&
      purpose !== "condition" &&
      !position.isReshaped(id)
    )
      return `$${position.idOf(id)}.output.${part.slice("result.".length)}`;
    reportGap(
      position,
      `The expression reads ${whole}, which does not exist or means something else in a native file.`,
    );
    return whole;
  });
  return position.writer.gaps.length > before ? undefined : text;
}

function plainName(name: string, position: WriterPosition, purpose: Purpose): string {
  if (name === "iteration") return "(iteration - 1)";
  if (purpose === "until" && name === "content") return "output";
  if (purpose === "until" && name === "result") return "result";
  reportGap(position, `The expression reads \`${name}\`, which means something else in a native file.`);
  return name;
}

/** A condition with the names of native files. */
export function nativeCondition(condition: Condition, position: WriterPosition): Condition | undefined {
  switch (condition.kind) {
    case "cel":
      return nativeWhen(condition, position);
    case "comparisons":
      return condition;
    default:
      reportGap(position, "The condition ignores case, and CEL does not: write it as a `when` by hand.");
      return undefined;
  }
}

function nativeWhen(condition: Expression, position: WriterPosition): Condition | undefined {
  if (condition.bind === undefined) {
    return { kind: "cel", ...withNativeNames(condition, position) };
  }
  const text = withDollars(condition.source, position, "condition");
  const parsed =
    text === undefined ? undefined : parseCondition(text, { names: position.isInLoop ? loopNames : [] });
  if (parsed === undefined || "condition" in parsed) return parsed?.condition;
  return reportGap(position, `A native file cannot contain its condition: ${parsed.because}.`);
}

/** A text in a file. */
export const sourceOf = (text: Text): string =>
  text.map((part) => (typeof part === "string" ? part : dollarOf(part))).join("");

/** An expression in a file. */
export const celOf = ({ source, variables }: Expression): string =>
  source.replaceAll(stringOrWord, (whole) => {
    const reference = Object.hasOwn(variables, whole) ? variables[whole] : undefined;
    return reference === undefined ? whole : dollarOf(reference);
  });

const stringOrWord =
  /\b[rR][bB]?(?:"[^"\n]*"|'[^'\n]*')|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<![\w.])[A-Za-z_]\w*/g;

/** A condition in a file. */
export function whenOf(condition: Condition): string {
  if (condition.kind === "cel") return celOf(condition);
  if (condition.kind !== "comparisons") return "";
  const all = condition.anyOf.map((comparisons) =>
    comparisons
      .map(({ left, operator, right }) => `${dollarOf(left)} ${operator} ${quoted(right)}`)
      .join(" && "),
  );
  return all.join(" || ");
}

const quoted = (text: string) => (text.includes("'") ? `"${text}"` : `'${text}'`);

function dollarOf(reference: Reference): string {
  const field = "field" in reference && reference.field !== undefined ? `.${reference.field}` : "";
  switch (reference.ref) {
    case "value":
      return `$${reference.name}`;
    case "input":
      return `$INPUTS.${reference.name}`;
    case "output":
      return `$${reference.node}.output${field}`;
    case "previous":
      return `$LOOP_PREV.${reference.node}.output${field}`;
    case "item":
      return `$LOOP_ITEM${field}`;
    default:
      return "";
  }
}
