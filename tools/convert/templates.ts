import { joined } from "../../src/expressions/brace-template.ts";
import { parseExpression } from "../../src/expressions/cel.ts";
import { parseCondition } from "../../src/expressions/condition.ts";
import { valueNames } from "../../src/expressions/dollar-template.ts";
import type { Condition, Expression, Reference, Text } from "../../src/expressions/template.ts";
import { type Place, reportGap } from "./writer-context.ts";

/** A text with its references as native files have them. */
export const nativeText = (text: Text, place: Place): Text =>
  joined(text.map((part) => (typeof part === "string" ? part : (nativeReference(part, place) ?? ""))));

function nativeReference(reference: Reference, place: Place): Text[number] | undefined {
  switch (reference.ref) {
    case "value":
      return nativeValue(reference.name, place);
    case "input":
      return nativeInput(reference, place);
    case "output": {
      const { otherwise, ...rest } = reference;
      if (otherwise !== undefined && place.isConditional(reference.node))
        reportGap(
          place,
          `The text names \`${reference.node}\`, which may be skipped: the name would be empty then.`,
        );
      return { ...rest, node: place.idOf(reference.node) };
    }
    case "previous":
      return { ...reference, node: place.idOf(reference.node) };
    case "item":
      return reference;
    default:
      reportGap(place, "The text reads a scope that all nodes share.");
      return undefined;
  }
}

function nativeValue(name: string, place: Place): Reference | undefined {
  const known = valueNames.includes(name) ? name : place.gathered(name);
  if (known !== undefined) return { ref: "value", name: known };
  reportGap(
    place,
    `The text reads ${wordsFor[name] ?? `\`${name}\`, what a loop before it counted or gathered`}.`,
  );
  return undefined;
}

const wordsFor: Readonly<Record<string, string>> = {
  LOOP_INPUT:
    "what the iteration before gave, or else the message, as the called workflow's input: give it parameters with `with`",
  LOOP_HISTORY: "the loop's history: use `accumulate` instead",
  LOOP_INDEX: "the position of the item",
  LOOP_TOTAL: "how many items there are",
  LOOP_SUCCEEDED: "how many items went well",
  LOOP_FAILED: "how many items failed",
};

function nativeInput({ name, otherwise }: Extract<Reference, { ref: "input" }>, place: Place): Text[number] {
  const { inputs } = place.sheet;
  const before = inputs.get(name);
  if (!/^[A-Za-z_]\w*(?:-[A-Za-z_]\w*)*$/.test(name)) {
    // It could never be given: what stands there otherwise is what it says.
    if (otherwise !== undefined) return otherwise;
    reportGap(place, `An input cannot be called \`${name}\`.`);
  }
  if (otherwise !== undefined && before !== undefined && before !== otherwise)
    reportGap(place, `The input \`${name}\` means different things where nobody gives it.`);
  if (otherwise !== undefined) inputs.set(name, otherwise);
  return { ref: "input", name };
}

/** What an expression is for: what its plain names mean depends on that. */
export type Purpose = "condition" | "until" | "items";

/** An expression in CEL with the names of native files. */
export function nativeExpression(
  expression: Expression,
  place: Place,
  purpose: Purpose,
): Expression | undefined {
  if (expression.bind === undefined) return withNativeNames(expression, place);
  const told = withDollars(expression.source, place, purpose);
  const inside = place.isInLoop || purpose === "until";
  const parsed = told === undefined ? undefined : parseExpression(told, { names: inside ? loopNames : [] });
  if (parsed === undefined || "expression" in parsed) return parsed?.expression;
  reportGap(place, `The expression cannot be said in a native file: ${parsed.because}.`);
  return undefined;
}

/** The same source; its references by the names of native nodes. */
function withNativeNames({ source, variables }: Expression, place: Place): Expression {
  const named = Object.entries(variables).flatMap(([name, reference]) => {
    const said = nativeReference(reference, place);
    return said === undefined || typeof said === "string" ? [] : [[name, said] as const];
  });
  return { source, variables: Object.fromEntries(named) };
}

const loopNames = ["output", "result", "iteration", "previous", "item", "index"];

const stringOrName =
  /\b[rR][bB]?(?:"[^"\n]*"|'[^'\n]*')|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<![\w.])(?:(content|result|status|iteration)\b|steps(?:\["([\w-]+)"\])?(?:\.(content|result\.\w+|\w+))?)/g;

/** The same with `$references`; `undefined` if it reads what those cannot express. */
function withDollars(source: string, place: Place, purpose: Purpose): string | undefined {
  const before = place.sheet.lacks.length;
  const told = source.replaceAll(stringOrName, (...found: readonly (string | undefined)[]) => {
    const [whole = "", plain, id, part] = found;
    if (plain !== undefined) return plainName(plain, place, purpose);
    if (!whole.startsWith("steps")) return whole;
    if (id !== undefined && part === "content") return `$${place.idOf(id)}.output`;
    if (id !== undefined && part?.startsWith("result.") && purpose !== "condition" && !place.isReshaped(id))
      return `$${place.idOf(id)}.output.${part.slice("result.".length)}`;
    reportGap(place, `The expression reads ${whole}, which is missing or another in a native file.`);
    return whole;
  });
  return place.sheet.lacks.length > before ? undefined : told;
}

function plainName(name: string, place: Place, purpose: Purpose): string {
  if (name === "iteration") return "(iteration - 1)";
  if (purpose === "until" && name === "content") return "output";
  if (purpose === "until" && name === "result") return "result";
  reportGap(place, `The expression reads \`${name}\`, which means something else in a native file.`);
  return name;
}

/** A condition with the names of native files. */
export function nativeCondition(condition: Condition, place: Place): Condition | undefined {
  switch (condition.kind) {
    case "cel":
      return nativeWhen(condition, place);
    case "comparisons":
      return condition;
    default:
      reportGap(place, "The condition compares texts without case; write it as a `when` by hand.");
      return undefined;
  }
}

function nativeWhen(condition: Expression, place: Place): Condition | undefined {
  if (condition.bind === undefined) {
    return { kind: "cel", ...withNativeNames(condition, place) };
  }
  const told = withDollars(condition.source, place, "condition");
  const parsed =
    told === undefined ? undefined : parseCondition(told, { names: place.isInLoop ? loopNames : [] });
  if (parsed === undefined || "condition" in parsed) return parsed?.condition;
  reportGap(place, `The condition cannot be said in a native file: ${parsed.because}.`);
  return undefined;
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
