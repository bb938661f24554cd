import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  documentFields,
  executionFields,
  ignoredInExecution,
  ignoredInStep,
  loopFields,
  refusedInStep,
  stepFields,
} from "../../../src/dialects/loops/schema.ts";

const readme = readFileSync(new URL("../../../src/dialects/loops/README.md", import.meta.url), "utf8");

/** The keys in the first column of a section's table. */
function keysUnder(title: string): readonly string[] {
  const section = readme.split(/^## /m).find((it) => it.startsWith(`${title}\n`)) ?? "";
  const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\$?\w+)[^`]*`/g)].map(([, key = ""]) => key));
}

const without = (keys: readonly string[], ...others: readonly string[]) =>
  keys.filter((key) => !others.includes(key));

const tables: readonly (readonly [title: string, keys: readonly string[]])[] = [
  ["The file", [...Object.keys(documentFields), "steps", "loops"]],
  ["Execution", Object.keys(executionFields)],
  ["A step", Object.keys(stepFields)],
  ["A loop", Object.keys(loopFields)],
];

test.each(tables)("the page lists every key under %s, and no other", (title, keys) => {
  const listed = without(keysUnder(title), "halt");
  expect([...new Set(listed)].sort()).toEqual([...keys].sort());
});

test("the page names what is refused and what does nothing", () => {
  const last = readme.slice(readme.indexOf("## What is refused"));
  const named = [
    "parallel",
    "max_workers",
    ...Object.keys(refusedInStep),
    ...ignoredInExecution,
    ...ignoredInStep,
  ];
  expect(named.filter((key) => !last.includes(`\`${key}\``))).toEqual([]);
});
