import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as schema from "../../../src/dialects/native/schema.ts";
import { stopKeys } from "../../../src/stops/index.ts";

const page = readFileSync("src/dialects/native/README.md", "utf8");

/** The keys that the tables under a heading name in their first column, and those in braces behind one. */
function keysUnder(heading: string): { readonly keys: readonly string[]; readonly inner: readonly string[] } {
  const [, section = ""] = page.split(`## ${heading}\n`);
  const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  const cells = rows.flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)]);
  const written = cells.map(([, cell = ""]) => cell);
  return {
    keys: written.flatMap((cell) => /^[A-Za-z_]+/.exec(cell)?.[0] ?? []),
    inner: written.flatMap((cell) =>
      [...(/\{([A-Za-z_, ]+)\}/.exec(cell)?.[1] ?? "").matchAll(/[A-Za-z_]+/g)].map(([key]) => key),
    ),
  };
}

/** Words in the first column that are values or belong to another mapping. */
const values = ["fail", "last", "max"];

// The keys of stops are in their own files, from which `docs/writing-loops.md` has them.
test.each([
  ["The file", schema.documentFields, []],
  ["A node", schema.nodeFields, ["description"]],
  ["A loop", schema.loopFields, stopKeys.map(({ name }) => name)],
] as const)("the page names every key under %s, and no other", (heading, fields, others) => {
  const { keys } = keysUnder(heading);
  const named = new Set(keys.filter((key) => !values.includes(key)));
  expect([...named, ...others].sort()).toEqual(Object.keys(fields).sort());
});

test("and every key of the mappings inside", () => {
  const file = keysUnder("The file").inner;
  const { agent: _, ...agent } = schema.agentFields;
  const inFile = [
    ...Object.keys(agent),
    ...Object.keys(schema.inputFields),
    ...Object.keys(schema.budgetFields),
  ];
  expect(inFile.filter((key) => !file.includes(key) && key !== "provider")).toEqual([]);
  const inNode = [...Object.keys(schema.retryFields), ...Object.keys(schema.approvalFields)];
  expect(inNode.filter((key) => !keysUnder("A node").inner.includes(key))).toEqual([]);
  expect(Object.keys(schema.checkFields).filter((key) => !keysUnder("A loop").inner.includes(key))).toEqual(
    [],
  );
});
