import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openJob } from "../../../action/job/job.ts";
import { homeBranch, originOf, statusJob } from "../../../action/job/run-origin.ts";

function job(event: unknown, env: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "origin-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "event.json");
  writeFileSync(path, typeof event === "string" ? event : JSON.stringify(event));
  const base = {
    GITHUB_REPOSITORY: "o/r",
    GITHUB_SHA: "a".repeat(40),
    GITHUB_REF: "refs/heads/topic",
    GITHUB_ACTOR: "ann",
    GITHUB_WORKFLOW_REF: "o/r/.github/workflows/loop.yml@refs/heads/topic",
    GITHUB_WORKSPACE: folder,
    GITHUB_EVENT_PATH: path,
    GITHUB_RUN_ID: "12",
    GITHUB_RUN_ATTEMPT: "3",
  };
  return openJob({ ...base, ...env }, []);
}

const plain = {
  repository: "o/r",
  head: "a".repeat(40),
  branch: "topic",
  workflow: ".github/workflows/loop.yml",
  actor: "ann",
};
const originIn = (event: unknown, env = {}) => {
  const it = job(event, env);
  return originOf(it, it.workspace);
};

const pulled = { pull_request: { number: 7, head: { sha: "b".repeat(40), ref: "fix" } } };
const followed = {
  workflow_run: { head_sha: "c".repeat(40), head_branch: "fix", pull_requests: [{ number: 9 }] },
};

test.each<[string, unknown, object]>([
  ["started by hand", {}, plain],
  ["on a pull request", pulled, { ...plain, pull: 7, head: "b".repeat(40), branch: "fix" }],
  ["by a comment on a pull request", { issue: { number: 8, pull_request: {} } }, { ...plain, pull: 8 }],
  ["by a comment on an issue", { issue: { number: 8 } }, { ...plain, issue: 8 }],
  ["after another workflow", followed, { ...plain, pull: 9, head: "c".repeat(40), branch: "fix" }],
  ["with an event that is none", "{", plain],
  ["with an event of other shapes", { pull_request: 1, issue: [], workflow_run: "x" }, plain],
])("a run started %s records where it comes from", (_, event, wanted) => {
  expect(originIn(event)).toEqual(wanted);
});

test("a workflow of another repository does not resume the run", () => {
  const env = { GITHUB_WORKFLOW_REF: "x/y/.github/workflows/loop.yml@refs/heads/main" };
  expect(originIn({}, env)).not.toHaveProperty("workflow");
});

test("outside a repository there is no origin, and outside a run no job", () => {
  expect(originIn({}, { GITHUB_REPOSITORY: "" })).toBeUndefined();
  expect(statusJob(job({}, { GITHUB_RUN_ID: "" }))).toBeUndefined();
  expect(statusJob(job({}))).toEqual({ run: 12, attempt: 3 });
});

test("the workflow continues on the branch of this job, or on the default one", () => {
  expect(homeBranch(job({}))).toBe("topic");
  const event = { repository: { default_branch: "trunk" } };
  expect(homeBranch(job(event, { GITHUB_REF: "refs/pull/7/merge" }))).toBe("trunk");
});

test("the folder it works in goes along, so that a later job works there too", () => {
  const it = job({});
  expect(originOf(it, join(it.workspace, "web"))).toMatchObject({ folder: "web" });
});

test("the branch of a job in a merge queue is the one that the queue merges into", () => {
  const GITHUB_REF = "refs/heads/gh-readonly-queue/release/2.0/pr-104-0a1b2c3d";
  expect(homeBranch(job({}, { GITHUB_REF }))).toBe("release/2.0");
  expect(originIn({}, { GITHUB_REF })).toMatchObject({ branch: "release/2.0" });
});
