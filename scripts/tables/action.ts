import { readFileSync } from "node:fs";
import { parse, stringify } from "yaml";
import { z } from "zod";
import type { InputRow } from "../../action/inputs/input.ts";
import { inputGroups, variableOf } from "../../action/inputs/inputs.ts";
import { code, table } from "./markdown.ts";

const action = z.looseObject({
  outputs: z.record(z.string(), z.looseObject({ description: z.string() })),
});

interface Declared {
  readonly name: string;
  readonly doc: string;
  readonly fallback: string;
}

/** The inputs of a group, each alias after its own. */
const declaredIn = (rows: Readonly<Record<string, InputRow<z.ZodType>>>): readonly Declared[] =>
  Object.entries(rows).flatMap(([name, { doc, fallback = "", alias }]) => [
    { name, doc, fallback },
    ...(alias === undefined ? [] : [{ name: alias, doc: `Another name of ${code(name)}.`, fallback: "" }]),
  ]);

const groups = Object.entries(inputGroups).map(([title, rows]) => ({ title, inputs: declaredIn(rows) }));

/** The action's inputs, a table for each group. */
export const inputTable = (): string =>
  groups
    .map(({ title, inputs }) => {
      const rows = inputs.map(({ name, doc, fallback }) => [code(name), fallback && code(fallback), doc]);
      return `### ${title}\n\n${table(["input", "default", "meaning"], rows)}`;
    })
    .join("\n\n");

/** The action's outputs, from `action.yml`. */
export function outputTable(): string {
  const { outputs } = action.parse(parse(readFileSync("action.yml", "utf8")));
  return table(
    ["output", "meaning"],
    Object.entries(outputs).map(([name, { description }]) => [code(name), description]),
  );
}

/** `action.yml` with its inputs written again. */
export function withInputs(file: string): string {
  const written = groups.map(({ title, inputs }) => `  # ${title}.\n${inputs.map(declare).join("")}`);
  return file
    .replace(/^inputs:\n[\s\S]*?(?=^(?:#.*\n)*outputs:)/m, () => `inputs:\n${written.join("\n")}\n`)
    .replace(
      /(?:^ *UNTIL_GREEN_INPUT_.*\n)+/m,
      () => `${names.map((name) => `        ${variableOf(name)}: \${{ inputs.${name} }}\n`).join("")}`,
    );
}

const names = groups.flatMap(({ inputs }) => inputs.map(({ name }) => name));
const declare = ({ name, doc, fallback }: Declared): string =>
  `  ${name}:\n    description: ${scalar(doc)}\n    default: ${scalar(fallback)}\n`;

/** One line of YAML; an expression of GitHub stays plain. */
const scalar = (text: string): string => stringify(text, { lineWidth: 0 }).trim();
