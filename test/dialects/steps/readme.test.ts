import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as schema from "../../../src/dialects/steps/schema.ts";

const page = readFileSync("src/dialects/steps/README.md", "utf8");

/** The keys a table names in its first column, under a heading. */
function keysUnder(heading: string): readonly string[] {
  const [, section = ""] = page.split(`## ${heading}\n`);
  const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((row) =>
    [...(row.split(" | ")[0] ?? "").matchAll(/`(\w+)/g)].map(([, key = ""]) => key),
  );
}

describe("the page of steps files names every key, and no other", () => {
  test.each([
    ["The file", schema.documentFields],
    ["An agent", schema.agentFields],
    ["A step", schema.stepFields],
    ["A loop", schema.loopFields],
    ["Options", schema.optionFields],
  ])("%s", (heading, fields) => {
    expect([...keysUnder(heading)].sort()).toEqual(Object.keys(fields).sort());
  });
});

test("it says of each key without effect that it has none", () => {
  const idle = page.split("\n").filter((line) => line.includes("nothing, with a warning"));
  const named = idle.flatMap((row) =>
    [...(row.split(" | ")[0] ?? "").matchAll(/`(\w+)`/g)].map(([, key = ""]) => key),
  );
  const { step, options } = schema.withoutEffect;
  expect(named.sort()).toEqual([...step, ...options].sort());
});
