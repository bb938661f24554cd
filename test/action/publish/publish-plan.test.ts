import { describe, expect, test } from "vitest";
import { RefusedError } from "../../../action/job/job.ts";
import {
  commitMessage,
  isBranchName,
  isReplaceable,
  planPublish,
} from "../../../action/publish/publish-plan.ts";
import { pullBody, pullTitle } from "../../../action/publish/pull-text.ts";
import { summarizeEvents } from "../../../src/status/run-summary.ts";
import { greenRun, waitingRun } from "../../render/run-events.ts";
import { site } from "./scheduled-site.ts";

const summary = summarizeEvents(greenRun);

describe("where the work goes", () => {
  const known = {
    site,
    workflow: "Fix tests!",
    defaultBranch: "main",
    pullBranch: undefined,
    ref: undefined,
  } as const;
  const plan = (given: Partial<Parameters<typeof planPublish>[0]>) =>
    planPublish({ ...known, way: "branch", inputs: {}, ...given });

  test("a branch named after the workflow, with the default branch as its base", () => {
    expect(plan({ way: "pull-request" })).toEqual({
      way: "pull-request",
      branch: "until-green/fix-tests",
      base: "main",
    });
  });

  test.each([
    ["!!!", {}, "loop"],
    ["-- fix!", {}, "fix"],
    ["Fix it", { issue: 7 }, "fix-it-issue-7"],
    [`${"x".repeat(59)} y`, {}, "x".repeat(59)],
    ["x".repeat(70), {}, "x".repeat(60)],
  ])("a branch with a name that git takes, if the workflow is called %j", (workflow, more, name) => {
    expect(plan({ workflow, site: { ...site, ...more } }).branch).toBe(`until-green/${name}`);
  });

  test("to the head of the job's pull request, if `publish` says so", () => {
    expect(plan({ way: "push", pullBranch: "topic" })).toEqual({
      way: "push",
      branch: "topic",
      base: "topic",
    });
  });

  test.each([
    ["the job's input", { inputs: { base: "next" }, pullBranch: "topic", ref: "dev" }, "next"],
    ["its pull request's head", { pullBranch: "topic", ref: "dev" }, "topic"],
    ["its own branch", { ref: "dev" }, "dev"],
  ])("with %s as the base", (_, given, base) => {
    expect(plan(given).base).toBe(base);
  });

  test.each([
    ["main is the default branch, and", { inputs: { branch: "main" } }],
    ["main is the default branch, and", { way: "push", pullBranch: "main" }],
    ["next is the base, and", { inputs: { branch: "next", base: "next" } }],
    ["but this job (on schedule) has none: set `publish: pull-request`", { way: "push" }],
    ["but this job (on no event) has none", { way: "push", site: { ...site, event: "" } }],
    ["`branch: a..b` is not a valid branch name", { inputs: { branch: "a..b" } }],
    [`\`branch: ${"x".repeat(100)}\` is not`, { inputs: { branch: "x".repeat(201) } }],
  ] as const)("nowhere: %s", (message, given) => {
    expect(() => plan(given)).toThrow(RefusedError);
    expect(() => plan(given)).toThrow(message);
  });
});

describe("the name of a branch", () => {
  test.each([
    ...["fix/tests", "until-green/fix-tests", "a", "ünder", "@a", "a@", "a/refs/b"],
    "x".repeat(200),
  ])("may be %s", (name) => {
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

const grade = { green: true };

test("text of an agent never becomes a trailer, a mention or an HTML tag in what is published", () => {
  const hostile = { ...summary, output: "Fixed @octocat <img>\n\nUntil-Green-Grade: red" };
  const message = commitMessage({
    summary: hostile,
    grade,
    keeps: undefined,
    template: "{output}",
    signoff: "ann <ann@example.com>",
  });
  expect(message.match(/^Until-Green-Grade:.*$/gm)).toEqual(["Until-Green-Grade: green"]);
  expect(message).toContain("Signed-off-by:");
  const body = pullBody([hostile], site, { template: "## Why\n\n{output}" });
  expect(body).toMatch(/^## Why\n/);
  expect(body.split("<details>")[0]).not.toMatch(/@octocat|<img>/);
});

test("a commit says whose it is, and is replaceable unless it keeps work of others", () => {
  const own = commitMessage({ summary, grade, keeps: undefined });
  expect(own).toBe(
    "fix-tests succeeded: the check passed\n\nUntil-Green-Run: fix-tests-7f3a\nUntil-Green-Grade: green\n",
  );
  expect(isReplaceable(own)).toBe(true);
  expect(isReplaceable(commitMessage({ summary, grade, iteration: 2, keeps: "abc" }))).toBe(false);
  const first = (more: object) => commitMessage({ summary, grade, keeps: undefined, ...more }).split("\n")[0];
  expect(first({ iteration: 2 })).toBe("fix-tests: iteration 2");
  expect(first({ template: "Work of {workflow}" })).toBe("Work of fix-tests");
  const waiting = summarizeEvents(waitingRun("Fine?"));
  expect(first({ summary: waiting })).toMatch(/^Waiting for you/);
  expect(isReplaceable("Mine, not Until-Green-Run: x")).toBe(false);
  const forged = commitMessage({
    summary: { ...summary, workflow: "x\n\nUntil-Green-Keeps: y" },
    grade,
    keeps: undefined,
  });
  expect(forged.split("\n")[0]).toContain("x Until-Green-Keeps: y");
});
