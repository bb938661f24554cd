import { expect, test } from "vitest";
import { isGreen, isOwn, publishedGrade } from "../../../action/publish/published-grade.ts";
import { nameOfRun, whyUnfit } from "../../../action/publish/work.ts";

const ours = "Fix\n\nUntil-Green-Run: r\nUntil-Green-Grade: red failing=2 lines=7\n";
const branch = (message: string, isOurs = true) => ({ tip: "a".repeat(40), message, parents: [], isOurs });

test.each([
  ["no branch", { ...branch(ours), tip: undefined }, { draft: false }, undefined],
  ["our commit", branch(ours), undefined, { green: false, failing: 2, lines: 7 }],
  [
    "our commit, whatever people did to the pull request",
    branch(ours),
    { draft: false },
    { green: false, failing: 2, lines: 7 },
  ],
  ["a person's commit with our message", branch(ours, false), undefined, { green: true }],
  ["a person's commits in a pull request", branch("Mine", false), { draft: false }, { green: true }],
  ["a person's commits in a draft", branch("Mine", false), { draft: true }, { green: false }],
  ["our commit without a grade", branch("Fix\n\nUntil-Green-Run: r\n"), undefined, undefined],
  [
    "our commit without a grade on top of a person's",
    branch("Fix\n\nUntil-Green-Run: r\nUntil-Green-Keeps: b\n"),
    undefined,
    { green: true },
  ],
])("the grade of what is on %s", (...[, on, pull, grade]) => {
  expect(publishedGrade(on, pull)).toEqual(grade);
});

test("a branch is ours only if the commit at its tip is, and nothing below it is a person's", () => {
  expect(isOwn(branch(ours))).toBe(true);
  expect(isOwn(branch(ours, false))).toBe(false);
  expect(isOwn(branch("Mine"))).toBe(false);
  expect(isOwn(branch(`${ours}Until-Green-Keeps: b\n`))).toBe(false);
});

test("what does not fit names the runs and files it conflicts with", () => {
  const paths = [..."abcdefg"];
  expect(whyUnfit({ run: "r", conflicts: paths, with: [] })).toBe(
    "conflicts with earlier work in a, b, c, d, e and 2 more",
  );
  expect(whyUnfit({ run: "r", conflicts: ["a"], with: ["x", "y"] })).toBe("conflicts with run x, run y in a");
  expect(whyUnfit({ run: "r", conflicts: paths.slice(0, 5), with: [] })).toMatch(/in a, b, c, d, e$/);
  expect(nameOfRun("r")).toBe("run r");
  expect(nameOfRun("spread-out-item-3")).toBe("item 3 (run spread-out-item-3)");
});

test.each([
  ["success", "until-bash", true],
  // The check was green before any agent call.
  ["skipped", "nothing-to-do", true],
  ["skipped", "cancelled", false],
  ["failure", "nothing-to-do", false],
] as const)("a run that ended as %s (%s) is green: %s", (conclusion, stopReason, expected) => {
  expect(isGreen({ conclusion, stopReason })).toBe(expected);
});
