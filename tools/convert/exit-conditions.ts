import type { FieldTest, FieldTests } from "../../src/expressions/field-tests.ts";
import type { Node } from "../../src/plan/plan.ts";
import type { ExitRule } from "../../src/plan/sequence.ts";
import type { Json } from "../../src/ports/json.ts";

/** The output of a node in CEL: its value or, for the last node of a loop's body, its text. */
export interface NamedOutput {
  readonly node: Node;
  readonly isLast?: boolean;
}

/** The CEL expression for the exit of a node; `undefined` if CEL cannot express it. */
export function exitTest(given: NamedOutput, exit: string): string | undefined {
  const { node } = given;
  if (isGate(node)) return verdictTest(given, exit);
  const tests: string[] = [];
  for (const rule of node.exits ?? []) {
    const test = ruleTest(given, rule);
    if (test === undefined) return undefined;
    if (rule.exit === exit) return [...tests.map((it) => `!(${it})`), test].join(" && ");
    tests.push(test);
  }
  return undefined;
}

/** True if a node can have an exit, according to its plan. */
export function mayLeaveBy(node: Node, exit: string): boolean {
  const own = isGate(node) ? ["pass", "fail"] : node.kind === "script" ? ["error"] : [];
  const caught = node.catches === undefined ? [] : [node.catches];
  return [...own, ...caught, ...(node.exits ?? []).map((rule) => rule.exit)].includes(exit);
}

/** True if a node is an agent that judges another one. */
export const isGate = (node: Node): boolean => node.kind === "agent" && node.judges !== undefined;

const valueIn = ({ node }: NamedOutput) => `$${node.id}.output`;

/** A skipped node has an empty output. */
const hasRun = (given: NamedOutput) => `${given.isLast ? "output" : valueIn(given)} != ""`;

function verdictTest(given: NamedOutput, exit: string): string | undefined {
  const pattern = quoted("(?i)^\\s*[*_`]*pass");
  const value = valueIn(given);
  const passes = given.isLast
    ? `output.matches(${pattern})`
    : `type(${value}) == string && ${value}.matches(${pattern})`;
  if (exit === "pass") return passes;
  return exit === "fail" ? `${hasRun(given)} && !(${passes})` : undefined;
}

/** Rules test the text. For nodes that are not last, CEL has only the value, which may have been parsed from JSON. */
function ruleTest(given: NamedOutput, { contains, matches, tests }: ExitRule): string | undefined {
  if (matches !== undefined) return undefined;
  if (contains !== undefined)
    return given.isLast && tests === undefined ? `output.contains(${quoted(contains)})` : undefined;
  if (tests === undefined) return hasRun(given);
  return testsIn(tests, given.isLast ? ofIteration : { value: valueIn(given) });
}

/** A value in CEL, and its text if CEL has it. */
export interface Tested {
  readonly value: string;
  readonly text?: string | undefined;
}

/** What a loop's stops can read of its iteration. */
export const ofIteration: Tested = { value: "result", text: "output" };

/** Tests of fields as one CEL expression about a value; `undefined` if CEL compares differently. */
export function testsIn({ combinator, tests }: FieldTests, tested: Tested): string | undefined {
  const expressions = tests.map((test) => testIn(test, tested));
  if (expressions.includes(undefined)) return undefined;
  return expressions.map((it) => `(${it})`).join(combinator === "and" ? " && " : " || ");
}

function testIn(
  { path, operator, value, or }: FieldTest,
  { value: whole, text }: Tested,
): string | undefined {
  const ask = asks[operator]?.(value, text);
  if (ask === undefined || or !== undefined) return undefined;
  const at = (depth: number) => path.slice(0, depth).reduce((it, name) => `${it}[${quoted(name)}]`, whole);
  const isThere = path
    .map((name, depth) => {
      const isMapping = depth === 0 ? "" : `type(${at(depth)}) == map && `;
      return `${isMapping}${quoted(name)} in ${at(depth)}`;
    })
    .join(" && ");
  const { of, missing, whole: ofWhole = of } = ask;
  return `type(${whole}) == map ? (${isThere} ? (${of(at(path.length))}) : ${missing}) : (${ofWhole(whole)})`;
}

interface Ask {
  of(found: string): string;
  /** The result if the field is missing. */
  readonly missing: boolean;
  /** The test for an output without fields, if it differs. */
  whole?(found: string): string;
}

type MakeAsk = (value: Json, text: string | undefined) => Ask | undefined;

const asks: Readonly<Record<string, MakeAsk>> = {
  equals: sameText,
  not_equals: negated(sameText),
  contains: within("contains"),
  not_contains: negated(within("contains")),
  starts_with: within("startsWith"),
  ends_with: within("endsWith"),
  eq: numeric("=="),
  neq: numeric("!="),
  gt: numeric(">"),
  gte: numeric(">="),
  lt: numeric("<"),
  lte: numeric("<="),
  is_empty: () => ({ of: (found) => `${found} == null || ${found} == ""`, missing: true }),
  not_empty: () => ({ of: (found) => `${found} != null && ${found} != ""`, missing: false }),
  exists: () => ({ of: () => "true", missing: false, whole: () => "false" }),
  not_exists: () => ({ of: () => "false", missing: true, whole: () => "true" }),
};

/** The text of a list or mapping is never a plain word. */
function sameText(value: Json): Ask | undefined {
  if (value === null || typeof value === "object" || value === "" || /[[{]/.test(String(value)))
    return undefined;
  const word = typeof value === "boolean" ? (value ? "True" : "False") : String(value);
  return { of: (found) => `${textIn(found, '""')} == ${quoted(word)}`, missing: false };
}

/** In a list's text, only plain words are the same as in JSON. */
function within(method: string): MakeAsk {
  return (value, text) => {
    if (text === undefined || (typeof value !== "string" && typeof value !== "number")) return undefined;
    const word = String(value);
    if (!/^[\w .:!?%/@#+-]+$/.test(word) || /True|False|None|true|false|null/.test(word)) return undefined;
    const ask = (found: string, otherwise: string) =>
      `${textIn(found, otherwise)}.${method}(${quoted(word)})`;
    return { of: (found) => ask(found, '""'), missing: false, whole: (found) => ask(found, text) };
  };
}

const textIn = (found: string, otherwise: string) =>
  `(type(${found}) == string ? ${found} : type(${found}) == bool ? (${found} ? "True" : "False") : type(${found}) in [int, double] ? string(${found}) : ${otherwise})`;

function negated(make: MakeAsk): MakeAsk {
  return (value, text) => {
    const ask = make(value, text);
    if (ask === undefined) return undefined;
    const { of, whole = of } = ask;
    return { of: (found) => `!(${of(found)})`, missing: true, whole: (found) => `!(${whole(found)})` };
  };
}

const number = "^[+-]?[0-9]+([.][0-9]+)?$";

function numeric(sign: string): MakeAsk {
  return (value) => {
    const other = typeof value === "string" && new RegExp(number).test(value) ? Number(value) : value;
    if (typeof other !== "number" || !Number.isFinite(other) || /e/.test(String(other))) return undefined;
    const right = Number.isInteger(other) ? `${other}.0` : String(other);
    const isNumber = (found: string) =>
      `(type(${found}) in [int, double] || (type(${found}) == string && ${found}.matches(${quoted(number)})))`;
    return { of: (found) => `${isNumber(found)} && double(${found}) ${sign} ${right}`, missing: false };
  };
}

const quoted = (text: string) =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
