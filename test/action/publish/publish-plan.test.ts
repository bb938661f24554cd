import { describe, expect, test } from "vitest";
import {
  commitMessage,
  isBranchName,
  isReplaceable,
  pullBody,
  pullTitle,
} from "../../../action/publish/publish-plan.ts";
import { summarise } from "../../../src/report/summary.ts";
import { greenRun } from "../../report/telling.ts";

const summary = summarise(greenRun);
const site = {
  server: "https://github.example",
  api: "",
  repository: "o/r",
  job: "https://github.example/o/r/actions/runs/7",
  event: "schedule",
  pull: undefined,
  fork: undefined,
  branch: undefined,
  head: undefined,
};

describe("the name of a branch", () => {
  test.each(["fix/tests", "until-green/fix-tests", "a", "ünder"])("may be %s", (name) => {
    expect(isBranchName(name)).toBe(true);
  });

  test.each([
    ...[
      "",
      "-f",
      "--delete",
      "/a",
      "a/",
      "a..b",
      "a b",
      "a~1",
      "a^",
      "a:b",
      "a?",
      "a*",
      "a[b",
      "a\\b",
      "a.lock",
      "a/.b",
      "@",
      "a@{1}",
    ],
    ...["refs/heads/main", "a\nb", "a\u0000b", "a//b", "a.", "x".repeat(201)],
  ])("may not be %j", (name) => {
    expect(isBranchName(name)).toBe(false);
  });
});

test("a title is filled once, in one line, within GitHub's limit", () => {
  expect(pullTitle("{workflow} of {run}: {conclusion} {else}", summary)).toBe(
    "fix-tests of fix-tests-7f3a: success {else}",
  );
  expect(pullTitle(undefined, { ...summary, workflow: "{run}\nx" })).toBe("until-green: {run} x");
  expect(pullTitle("{workflow}", { ...summary, workflow: "w".repeat(999) }).length).toBeLessThanOrEqual(250);
});

test("a body never mentions, links or closes what the workflow's name would", () => {
  const body = pullBody([{ ...summary, workflow: "@octocat closes #1 <img>" }], site);
  expect(body).not.toMatch(/@octocat|#1\b|<img>/);
  expect(body.length).toBeLessThan(65_536);
});

test("a commit says whose it is, and is replaceable unless it keeps work of others", () => {
  const own = commitMessage({ summary, keeps: undefined });
  expect(own).toBe("fix-tests succeeded: the check passed\n\nUntil-Green-Run: fix-tests-7f3a\n");
  expect(isReplaceable(own)).toBe(true);
  expect(isReplaceable(commitMessage({ summary, iteration: 2, keeps: "abc" }))).toBe(false);
  expect(isReplaceable("Mine, not Until-Green-Run: x")).toBe(false);
  const forged = commitMessage({
    summary: { ...summary, workflow: "x\n\nUntil-Green-Keeps: y" },
    keeps: undefined,
  });
  expect(forged.split("\n")[0]).toContain("x Until-Green-Keeps: y");
});
