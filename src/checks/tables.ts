import { parse } from "smol-toml";
import { parseJson } from "../ports/parse-json.ts";

/** The values of a file in JSON or TOML. */
export type Table = Readonly<Record<string, unknown>>;

/** Whether a value has keys. */
export const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `undefined` if the text is no object in JSON. Lines may be comments, as in JSONC. */
export function readJson(text: string): Table | undefined {
  const value: unknown = parseJson(text.replace(/^\uFEFF/, "").replaceAll(/^[ \t]*\/\/.*$/gm, ""));
  return isTable(value) ? value : undefined;
}

/** `undefined` if the text cannot be parsed. */
export function readToml(text: string): Table | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The values at these dotted keys, with sorted names. */
export function valuesOf(table: Table | undefined, keys: readonly string[]): string | undefined {
  if (table === undefined) return undefined;
  return JSON.stringify(keys.map((key) => ordered(valueAt(table, key.split(".")))));
}

/** Whether two tables have equal values, in any order of names. */
export const isSameTable = (one: Table | undefined, other: Table | undefined): boolean =>
  one !== undefined && other !== undefined && JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));

function valueAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value;
  return isTable(value) && Object.hasOwn(value, key) ? valueAt(value[key], rest) : undefined;
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value === "bigint") return String(value);
  if (!isTable(value) || value instanceof Date) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, ordered(value[key])]),
  );
}

/** Each text, number and truth value with the keys that lead to it. */
export function entriesOf(value: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof value !== "object" || value === null) return [`${path.join(" > ")}: ${String(value)}`];
  return Object.entries(value).flatMap(([key, each]) => entriesOf(each, [...path, key]));
}
