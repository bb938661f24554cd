import { z } from "zod";
import { itemRun } from "../../src/api/runs.ts";
import { agents } from "./groups/agents.ts";
import { limits } from "./groups/limits.ts";
import { loop } from "./groups/loop.ts";
import { people } from "./groups/people.ts";
import { publishing } from "./groups/publishing.ts";
import { run } from "./groups/run.ts";
import { usual } from "./groups/usual.ts";
import type { InputRow } from "./input.ts";
import { inputFaults } from "./validate.ts";

/** The inputs by group, as `action.yml` and the docs list them. */
export const inputGroups = {
  "The usual ones": usual,
  "Which run, and where": run,
  "Inline loops": loop,
  "Agents, their models and their walls": agents,
  "Limits, and runs for the same goal": limits,
  Publishing: publishing,
  People: people,
} as const;

const rows = { ...usual, ...run, ...loop, ...agents, ...limits, ...publishing, ...people };
type Rows = typeof rows;

/** All inputs of the action as text; an empty text means not set. */
const schema = z.object(
  Object.fromEntries(Object.entries(rows).map(([name, { read }]) => [name, read])) as {
    readonly [Name in keyof Rows]: Rows[Name]["read"];
  },
);

/** What each other name of an input stands for. */
export const aliases: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<InputRow<z.ZodType>>(rows).flatMap(([name, { alias }]) =>
    alias === undefined ? [] : [[alias, name]],
  ),
);

export type Inputs = z.infer<typeof schema>;

/** The names of all inputs, without aliases. */
export const inputNames: readonly string[] = Object.keys(rows);

/** The inputs that contain keys and tokens. */
export const secretInputs: readonly string[] = inputNames.filter((name) =>
  /(-api-key|-token|-private-key|^state-key|^notify-url)$/.test(name),
);

export type ReadInputs =
  | { readonly ok: true; readonly inputs: Inputs; readonly secrets: readonly string[] }
  | { readonly ok: false; readonly faults: readonly string[]; readonly secrets: readonly string[] };

const prefix = "UNTIL_GREEN_INPUT_";

/** The variable in which `action.yml` passes an input. */
export const variableOf = (input: string): string => prefix + input.toUpperCase().replaceAll("-", "_");

/** The inputs among these variables, as JSON, and the other variables. */
export function takeInputs(variables: readonly (readonly [name: string, value: string])[]) {
  const [inputs, others] = [true, false].map((isInput) =>
    variables.filter(([name]) => name.startsWith(prefix) === isInput),
  );
  const named = (inputs ?? []).map(([name, value]) => [
    name.slice(prefix.length).toLowerCase().replaceAll("_", "-"),
    value,
  ]);
  return { inputs: JSON.stringify(Object.fromEntries(named)), others: Object.fromEntries(others ?? []) };
}

/** Parses the JSON of all inputs: typed values, or all errors, one sentence each. */
export function readInputs(json: string): ReadInputs {
  const texts = readTexts(json);
  if (texts === undefined) return { ok: false, faults: [notJson], secrets: [] };
  const secrets = secretInputs.flatMap((name) => texts[name] || []);
  const parsed = schema.safeParse(texts, { jitless: true });
  const wrong = parsed.success ? [] : parsed.error.issues.map((issue) => sentence(issue, texts));
  const faults = [...wrong, ...twice(texts), ...inputFaults(texts)];
  return parsed.success && faults.length === 0
    ? { ok: true, inputs: withItems(parsed.data), secrets }
    : { ok: false, faults, secrets };
}

/** An item, or all items of a run, by run id. */
function withItems(inputs: Inputs): Inputs {
  const { item, items, "run-id": of = "" } = inputs;
  const numbers = item === undefined ? Array.from({ length: items ?? 0 }, (_, at) => at + 1) : [item];
  if (numbers.length === 0) return inputs;
  return { ...inputs, "run-id": numbers.map((number) => itemRun({ of, number })).join(" ") };
}

const notJson =
  "the inputs did not reach the action as JSON: this is a defect of its action.yml, please report it";

function readTexts(json: string): Readonly<Record<string, string>> | undefined {
  try {
    const texts = z.record(z.string(), z.string()).parse(JSON.parse(json));
    const given = Object.entries(texts).map(([name, value]) => [name, value.trim() && value] as const);
    const named = given.flatMap(([name, value]) => {
      const stands = aliases[name];
      return stands === undefined || value === "" || texts[stands]?.trim() ? [] : [[stands, value] as const];
    });
    return Object.fromEntries([...given, ...named]);
  } catch {
    return undefined;
  }
}

/** Inputs that are given by both of their names. */
const twice = (texts: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(aliases).flatMap(([alias, name]) =>
    texts[alias] && texts[name] !== texts[alias]
      ? [`\`${alias}\` is another name of \`${name}\`: set one of them`]
      : [],
  );

/** The input's name, its value, and the error; a secret's value is never shown. */
function sentence(issue: z.core.$ZodIssue, texts: Readonly<Record<string, string>>): string {
  const name = String(issue.path[0]);
  const value = secretInputs.includes(name) ? "***" : (texts[name] ?? "");
  const shown = value.length > 60 ? `${value.slice(0, 59)}…` : value;
  return `\`${name}: ${shown.replace(/\s+/g, " ")}\` ${issue.message}`;
}
