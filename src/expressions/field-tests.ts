import { z } from "zod";
import type { Infer } from "../ports/infer.ts";
import { type Json, json } from "../ports/json.ts";
import { isObject, jsonOrText } from "./output-value.ts";
import { searches } from "./pattern.ts";

const operators = {
  equals: (actual, value) => actual !== null && textOf(actual) === textOf(value),
  not_equals: (actual, value) => actual === null || textOf(actual) !== textOf(value),
  contains: (actual, value) => actual !== null && textOf(actual).includes(textOf(value)),
  not_contains: (actual, value) => actual === null || !textOf(actual).includes(textOf(value)),
  starts_with: (actual, value) => actual !== null && textOf(actual).startsWith(textOf(value)),
  ends_with: (actual, value) => actual !== null && textOf(actual).endsWith(textOf(value)),
  regex: (actual, value) => actual !== null && searches(textOf(value), textOf(actual)),
  is_empty: (actual) => actual === null || actual === "",
  not_empty: (actual) => actual !== null && actual !== "",
  eq: (actual, value) => compare(actual, value, (a, b) => a === b),
  neq: (actual, value) => compare(actual, value, (a, b) => a !== b),
  gt: (actual, value) => compare(actual, value, (a, b) => a > b),
  lt: (actual, value) => compare(actual, value, (a, b) => a < b),
  gte: (actual, value) => compare(actual, value, (a, b) => a >= b),
  lte: (actual, value) => compare(actual, value, (a, b) => a <= b),
  exists: () => true,
  not_exists: () => false,
} as const satisfies Readonly<Record<string, (actual: Json, value: Json) => boolean>>;

export type Operator = keyof typeof operators;

/** The operators of a test. */
export const operatorNames = Object.keys(operators) as readonly Operator[];

/** One test of a field of an output. */
const fieldTest = z.strictObject({
  /** The path to the field; matches nothing if the output is no JSON object. */
  path: z.array(z.string()),
  operator: z.enum(operatorNames),
  value: json,
  /** Another path to the same field. */
  or: z.array(z.string()).exactOptional(),
});

export type FieldTest = Infer<typeof fieldTest>;

/** Several tests of one output. */
export const fieldTests = z.strictObject({ combinator: z.enum(["and", "or"]), tests: z.array(fieldTest) });

export type FieldTests = Infer<typeof fieldTests>;

/** True if the tests hold for an output: for the fields of its JSON object, else for its whole text or value. */
export function testsHold({ combinator, tests }: FieldTests, output: string): boolean {
  const data = jsonOrText(output);
  const holds = (test: FieldTest) => testHolds(test, data);
  return combinator === "and" ? tests.every(holds) : tests.some(holds);
}

function testHolds({ path, operator, value, or = path }: FieldTest, data: Json): boolean {
  const asksPresence = operator === "exists" || operator === "not_exists";
  if (!isObject(data)) {
    return asksPresence ? operator === "not_exists" : operators[operator](data, value);
  }
  const read = readAlong(data, path) ?? readAlong(data, or);
  if (asksPresence) return (read !== undefined) === (operator === "exists");
  return operators[operator](read === undefined ? null : read, value);
}

/** The value at a path of names; `undefined` if one of them is missing. */
export function readAlong(value: Json, path: readonly string[]): Json | undefined {
  let current: Json | undefined = value;
  for (const key of path) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

/** A value as Python prints it: `True`, `None`, text unchanged. Whole numbers have no `.0`. */
function textOf(value: Json): string {
  return typeof value === "string" ? value : shown(value);
}

function shown(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([key, field]) => `${quoted(key)}: ${shown(field)}`)
    .join(", ")}}`;
}

const quoted = (text: string) => {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return `${mark}${mark === "'" ? escaped.replaceAll("'", "\\'") : escaped}${mark}`;
};

function compare(actual: Json, value: Json, holds: (a: number, b: number) => boolean): boolean {
  const one = numberOf(actual);
  const other = numberOf(value);
  return one !== undefined && other !== undefined && holds(one, other);
}

function numberOf(value: Json): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  return /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
