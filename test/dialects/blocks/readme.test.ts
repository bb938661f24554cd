import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as schema from "../../../src/dialects/blocks/schema.ts";
import { operatorNames } from "../../../src/expressions/field-tests.ts";

const page = readFileSync("src/dialects/blocks/README.md", "utf8");

const sectionOf = (heading: string) => {
  const [, rest = ""] = page.split(new RegExp(`^#{2,3} ${heading}\n`, "m"));
  return rest.split(/^#{2,3} /m)[0] ?? "";
};

/** The keys a table names in its first column, under a heading. */
const keysUnder = (heading: string): readonly string[] =>
  sectionOf(heading)
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`(\w+)/g)].map(([, key = ""]) => key));

const { linear, gate, synthesize, code, loop, workflow } = schema.blockFields;
const common = Object.keys(linear).filter((key) => key in gate && key in code);
const own = (fields: object) => Object.keys(fields).filter((key) => !common.includes(key));

test.each([
  ["The file", Object.keys(schema.documentFields)],
  ["Under workflow", Object.keys(schema.workflowFields)],
  ["A soul", Object.keys(schema.soulFields)],
  ["Every block", common],
  ["linear, synthesize and gate", [...new Set([linear, synthesize, gate].flatMap(own))]],
  ["code", own(code)],
  ["loop", own(loop)],
  ["carry_context", Object.keys(schema.carryFields)],
  ["workflow", own(workflow)],
  ["dispatch", Object.keys(schema.branchFields)],
  ["Conditions", [...Object.keys(schema.conditionFields), ...Object.keys(schema.groupFields)]],
])("the page names every key, and no other: %s", (heading, keys) => {
  expect([...keysUnder(heading)].sort()).toEqual([...keys].sort());
});

test("it says of each key without effect that it has none", () => {
  const idle = page.split("\n").filter((line) => line.includes("nothing, with a warning"));
  const named = idle.flatMap((row) =>
    [...(row.split(" | ")[0] ?? "").matchAll(/`(\w+)`/g)].map(([, key = ""]) => key),
  );
  const { document, soul, block } = schema.withoutEffect;
  expect(named.sort()).toEqual([...document, ...soul, ...block].sort());
});

test("it names every operator", () => {
  const section = sectionOf("Conditions");
  expect(operatorNames.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});
