import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const rows = [...readFileSync("SECURITY.md", "utf8").matchAll(/^\| (\d+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, number, rule, proof]) => ({ number: Number(number), rule: rule ?? "", proof: proof?.trim() ?? "" }),
);

/** What a row may say in place of a test. */
const unproved = ["not held", "no code for it"];

test("the checklist of SECURITY.md names 30 rules, and every test it names exists", () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  const wrong = rows.filter(({ proof }) => !unproved.includes(proof) && !exists(proof));
  expect(wrong.map(({ number, proof }) => `${number}: ${proof}`)).toEqual([]);
});

function exists(proof: string): boolean {
  const [, file, title = ""] = /^`([^`]+)`: ?(.+)$/.exec(proof) ?? [];
  if (file === undefined || title === "") return false;
  return readFileSync(file, "utf8").includes(title);
}
