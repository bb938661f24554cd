import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { byInterpreter, type Trigger } from "../parts/ready-workflow.ts";
import { session } from "./checkout.ts";
import { commentOn, jobOf, openRepository, recordIn } from "./github-job.ts";
import { commitOn, pullOn } from "./source.ts";

// Whole workflows, which clone, install and push.
vi.setConfig({ testTimeout: 240_000 });

/** Our own loop, with a check that takes no minutes. */
const ownLoop = readFileSync(".github/loops/fix-tests.yml", "utf8").replace(
  /until_bash: .*/,
  "until_bash: grep -qx green state.txt",
);
const project = {
  "package.json": '{ "name": "p", "version": "1.0.0" }',
  "package-lock.json":
    '{ "name": "p", "version": "1.0.0", "lockfileVersion": 3, "packages": { "": { "name": "p", "version": "1.0.0" } } }',
  "state.txt": "red\n",
  ".ci/run": "test -f state.txt && echo tested\n",
  ".ci/require-green": 'echo "$1 is green"\n',
  ".ci/pack":
    'mkdir -p .until-green/release && echo "packed for ${TAG:-no tag}" | tee .until-green/release/notes.md\n',
  ".github/loops/fix-tests.yml": ownLoop,
  ".github/loops/guided-refine.yml": readFileSync("examples/loops/guided-refine.yml", "utf8"),
  ".github/session.yml": session(
    { node: "fix", iteration: 1, say: "Done.", write: { "state.txt": "green\n" } },
    { node: "refine", iteration: 1, say: "A long text." },
    { node: "refine", contains: "shorter please", say: "Text.\n<promise>ACCEPTED</promise>" },
  ),
};
const open = () => openRepository({ users: { ada: "write" }, files: project });
const own = (host: GitHubHost, trigger: Trigger) => byInterpreter(host, { ...trigger, own: true });
const begin = { workflow: "guided-refine", agent: "scripted:.github/session.yml", "run-id": "own-run-1" };

test("nightly fixes the tests in a checkout apart from the action, and opens one pull request", async () => {
  const host = await open();
  const { ok, log } = await own(host, { name: "nightly", event: "schedule", id: 11 });
  expect(ok, log).toBe(true);
  expect(host.git.git("show", "until-green/fix-tests:state.txt"), log).toBe("green");
  expect(await host.as("octocat", "GET /pulls/1")).toMatchObject({ draft: false });
});

test.each(["nightly", "sweep", "answer"])("%s does not start in a fork of this repository", async (name) => {
  const host = await open();
  const { jobs, log } = await byInterpreter(host, { name, event: "schedule", id: 11, own: "in a fork" });
  expect(Object.values(jobs), log).toEqual(["skipped"]);
  expect(host.journal.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("sweep resumes what was decided but not resumed", async () => {
  const host = await open();
  const first = await jobOf(host, { id: 11, inputs: begin });
  expect(first.outputs["conclusion"], first.log.join("\n")).toBe("paused");
  await recordIn(host, "own-run-1", (gate) => ({
    type: "run.decided",
    at: new Date(Date.now() - 600_000).toISOString(),
    gate,
    decision: "approve",
    by: "octocat",
    text: "shorter please",
  }));
  const { ok, log } = await own(host, { name: "sweep", event: "schedule", id: 12 });
  expect(ok, log).toBe(true);
  expect(host.dispatches, log).toMatchObject([{ workflow: "loop.yml", inputs: { "run-id": "own-run-1" } }]);
});

test("answer obeys a comment on a pull request, in a checkout apart from the action", async () => {
  const host = await open();
  const before = await commitOn(host, "topic", { "new.txt": "new\n" });
  const { payload } = await pullOn(host, "topic");
  const github = { event_name: "pull_request", event: payload, ref: "refs/pull/1/merge", sha: before };
  const first = await jobOf(host, { id: 11, inputs: { ...begin, publish: "push" }, ref: "topic", github });
  expect(first.outputs["conclusion"], first.log.join("\n")).toBe("paused");
  const comment = await commentOn(host, "ada", "/workflow approve own-run-1\nshorter please");
  const { ok, log } = await own(host, { name: "answer", event: "issue_comment", payload: comment, id: 12 });
  expect(ok, log).toBe(true);
  expect(host.git.git("show", "topic:text.md"), log).toBe("Text.");
  expect(host.git.git("log", "-1", "--format=%P", "topic")).toBe(before);
});

test("ci is as green as what it runs", async () => {
  const host = await open();
  const green = await own(host, { name: "ci", event: "push", id: 11 });
  expect([green.ok, green.log]).toEqual([true, expect.stringContaining("tested")]);
  await commitOn(host, "main", { ".ci/run": "exit 1\n" });
  const red = await own(host, { name: "ci", event: "push", id: 12 });
  const shards = ["1/4", "2/4", "3/4", "4/4"].map((part) => [`shard (${part})`, "failure"]);
  expect(red.jobs).toEqual({ ...Object.fromEntries(shards), gate: "failure" });
});

test("release without a tag requires the gate, tests the rest and packs, and publishes nothing", async () => {
  const host = await open();
  const { jobs, log } = await own(host, { name: "release", event: "workflow_dispatch", id: 11 });
  expect(jobs, log).toEqual({ build: "success", nightly: "success", publish: "skipped" });
  expect(log).toMatch(/gate is green[\s\S]*packed for no tag[\s\S]*tested/);
  expect(host.journal.filter(({ method }) => method !== "GET")).toEqual([]);
});
