import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lacksWrite } from "../../../action/github/job-permissions.ts";
import { openJob } from "../../../action/job/job.ts";

const path = ".github/workflows/loop.yml";

function jobWith(text: string | undefined, more: Readonly<Record<string, string>> = {}) {
  const workspace = mkdtempSync(join(tmpdir(), "checkout-"));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
  mkdirSync(join(workspace, ".github/workflows"), { recursive: true });
  if (text !== undefined) writeFileSync(join(workspace, path), text);
  const env = {
    GITHUB_WORKSPACE: workspace,
    GITHUB_REPOSITORY: "o/r",
    GITHUB_WORKFLOW_REF: `o/r/${path}@refs/heads/main`,
    GITHUB_JOB: "loop",
    ...more,
  };
  return lacksWrite(openJob(env, []));
}

test.each([
  ["permissions: {}\njobs: { loop: { steps: [] } }", true],
  ["permissions: { contents: write }\njobs: { loop: {} }", true],
  ["permissions: { pull-requests: read }\njobs: { loop: {} }", true],
  ["permissions: read-all\njobs: { loop: {} }", true],
  ["permissions: write-all\njobs: { loop: { permissions: { contents: write } } }", true],
  ["permissions: write-all\njobs: { loop: {} }", false],
  ["permissions: {}\njobs: { loop: { permissions: { pull-requests: write } } }", false],
  ["jobs: { loop: {} }", false],
  ["permissions: {}\njobs: { other: {} }", false],
  ["permissions: {}\njobs: { loop: { uses: ./.github/workflows/called.yml } }", false],
  ["permissions: [a", false],
  [undefined, false],
])("of %j a job lacks the permission: %s", async (text, lacks) => {
  expect((await jobWith(text))("pull-requests")).toBe(lacks);
});

test("a workflow of another repository says nothing", async () => {
  const lacks = await jobWith("permissions: {}\njobs: { loop: {} }", { GITHUB_REPOSITORY: "o/other" });
  expect(lacks("issues")).toBe(false);
});
