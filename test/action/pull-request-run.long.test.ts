import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type GitHubHost, type GitHubHostOptions, openGitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf, session } from "./checkout.ts";
import { recordIn, stateOf } from "./github-job.ts";
import { commitOn, pullOn, useOnHost } from "./source.ts";

// Each job is a process with git and a server behind it, and there are several in a row.
vi.setConfig({ testTimeout: 120_000 });

const ask = `name: ask
interactive: true
nodes:
  - id: loop
    loop: { prompt: Go, until: READY, max_iterations: 5, interactive: true, gate_message: "Blue?" }
`;
const replies = session(
  { node: "loop", iteration: 1, say: "Which?", write: { "one.txt": "1\n" } },
  { node: "loop", iteration: 2, say: "<promise>READY</promise>", write: { "two.txt": "2\n" } },
);
const files = { ".github/loops/ask.yml": ask, "session.yml": replies, "state.txt": "red\n" };
const agent = "scripted:session.yml";

async function open(options: GitHubHostOptions = {}) {
  const host = await openGitHubHost({ files, users: { ada: "write" }, ...options });
  onTestFinished(() => host.close());
  const head = await commitOn(host, "topic", { "new.txt": "new\n" });
  const { payload } = await pullOn(host, "topic");
  return { host, head, onPull: { host, ref: "topic", event: "pull_request", payload } };
}

const changed = (host: GitHubHost, from: string, to: string) =>
  host.git.git("diff", "--name-only", from, to).split("\n");

/** The job that GitHub starts for a comment. */
async function commentJob(host: GitHubHost, body: string, inputs: Readonly<Record<string, string>>) {
  const comment = await host.as("ada", "POST /issues/1/comments", { body });
  const user = { login: "ada", type: "User" };
  const payload = {
    action: "created",
    comment: { id: comment.id, body, created_at: comment.created_at, user },
    issue: { number: 1, pull_request: { url: "" }, user: { login: "octocat" } },
    repository: { default_branch: "main" },
    sender: user,
  };
  return await useOnHost({
    host,
    ref: "topic",
    event: "issue_comment",
    payload,
    inputs: { ...inputs, command: "comment" },
  });
}

/** The job that somebody's decision, already on record, has the app start: it is told an id and nothing else. */
async function wokenJob(host: GitHubHost, run: string, inputs: Readonly<Record<string, string>>) {
  await recordIn(host, run, (gate) => ({
    type: "run.decided",
    at: new Date().toISOString(),
    gate,
    decision: "approve",
    by: "ada",
    text: "blue",
  }));
  const resumeInputs = { ...inputs, command: "resume", "run-id": run };
  return await useOnHost({ host, ref: "main", payload: { inputs: { "run-id": run } }, inputs: resumeInputs });
}

describe("a run on a pull request that waits in one job and ends in another", () => {
  test.each(["comment", "resume"])(
    "is shown in the one comment and check it had, and pushes to the pull request, by `command: %s`",
    async (command) => {
      const { host, head, onPull } = await open();
      const inputs = { agent, publish: "push" };
      const first = await useOnHost({ ...onPull, inputs: { ...inputs, workflow: "ask" } });
      const run = first.outputs["run-id"] ?? "";
      expect(first.outputs, first.log.join("\n")).toMatchObject({
        conclusion: "paused",
        "stop-reason": "gate",
      });
      expect(stateOf(host, run).status).toMatchObject({ origin: { pull: 1, head }, gates: [{ head }] });
      expect(host.git.git("rev-parse", "topic")).toBe(head);
      const second =
        command === "comment"
          ? await commentJob(host, `/workflow approve ${run}\nblue`, inputs)
          : await wokenJob(host, run, inputs);
      expect(second.outputs, second.log.join("\n")).toMatchObject({
        conclusion: "success",
        "run-id": run,
        branch: "topic",
        "head-sha": host.git.git("rev-parse", "topic"),
        "comment-id": first.outputs["comment-id"],
      });
      expect(changed(host, head, "topic")).toEqual(["one.txt", "two.txt"]);
      const comments = (await host.as("octocat", "GET /issues/1/comments")) as { id: number; body: string }[];
      const sticky = comments.filter(({ body }) => body.includes(`until-green:run=${run}`));
      expect(sticky).toMatchObject([{ id: Number(first.outputs["comment-id"]) }]);
      expect(sticky[0]?.body).toContain("ask succeeded");
      expect([...host.checks.values()]).toMatchObject([
        { head_sha: head, external_id: run, conclusion: "success" },
      ]);
      expect(stateOf(host, run).status.decided).toMatchObject([{ path: "/loop#1!gate", by: "ada" }]);
    },
  );

  test("is shown in the comment of its first job, though that wrote by another token", async () => {
    const slow = { node: "loop", iteration: 1, say: "Which?", wait_ms: 3_000 };
    const fast = { node: "loop", iteration: 2, say: "<promise>READY</promise>" };
    const { host, onPull } = await open({
      users: { ada: "write", bob: "write" },
      files: { ...files, "session.yml": session(slow, fast) },
    });
    const inputs = { agent, workflow: "ask", "github-token": host.tokenOf("bob") };
    const first = await useOnHost({ ...onPull, inputs });
    const run = first.outputs["run-id"] ?? "";
    const comment = Number(first.outputs["comment-id"]);
    expect(stateOf(host, run).status, first.log.join("\n")).toMatchObject({ comment });
    const second = await commentJob(host, `/workflow approve ${run}\nblue`, { agent });
    expect(second.outputs, second.log.join("\n")).toMatchObject({ "comment-id": String(comment) });
    const comments = (await host.as("octocat", "GET /issues/1/comments")) as { id: number; body: string }[];
    const sticky = comments.filter(({ body }) => body.includes(`until-green:run=${run}`));
    expect(sticky).toMatchObject([{ id: comment, body: expect.stringContaining("ask succeeded") }]);
  });

  test("shows its next gate for the head of then, and keeps the one it showed before for its own", async () => {
    const endless = session({ say: "Which?", times: 0 });
    const { host, head, onPull } = await open({ files: { ...files, "session.yml": endless } });
    const first = await useOnHost({ ...onPull, inputs: { agent, workflow: "ask" } });
    const run = first.outputs["run-id"] ?? "";
    const moved = await commitOn(host, "topic", { "theirs.txt": "t\n" });
    const idle = await useOnHost({ host, inputs: { command: "resume", "run-id": run } });
    expect(idle.outputs, idle.log.join("\n")).toMatchObject({ conclusion: "paused", iterations: "1" });
    expect(stateOf(host, run).status.gates).toMatchObject([{ path: "/loop#1!gate", head }]);
    const second = await wokenJob(host, run, {});
    expect(second.outputs, second.log.join("\n")).toMatchObject({ conclusion: "paused", iterations: "2" });
    expect(stateOf(host, run).status.gates).toMatchObject([{ path: "/loop#2!gate", head: moved }]);
  });
});

describe("what others push to the pull request while a run works", () => {
  const inputs = {
    prompt: "Go",
    "until-bash": "grep -qx green state.txt",
    publish: "push",
    comment: "none",
    "check-run": "false",
  };

  test.each([
    ["stays below the work", { "theirs.txt": "t\n" }, true],
    ["that the work conflicts with makes the job red, and is left alone", { "state.txt": "theirs\n" }, false],
  ] as const)("%s", async (_, theirs, fits) => {
    const { host, head, onPull } = await open();
    host.git.git("branch", "later", "topic");
    const pushed = await commitOn(host, "later", theirs);
    const command = `git --git-dir=${host.git.path} update-ref refs/heads/topic ${pushed}; echo green > state.txt; echo Done.`;
    const result = await useOnHost({ ...onPull, inputs: { ...inputs, "agent-command": command } });
    expect([result.ok, result.outputs["conclusion"]], result.log.join("\n")).toEqual([
      fits,
      fits ? "success" : "failure",
    ]);
    if (fits) {
      expect(host.git.git("log", "-1", "--format=%P", "topic")).toBe(pushed);
      expect(changed(host, head, "topic")).toEqual(["state.txt", "theirs.txt"]);
    } else {
      expect(host.git.git("rev-parse", "topic")).toBe(pushed);
      expect(annotationsOf(result, "error")[0]?.message).toMatch(
        /conflicts with topic, which others have changed/,
      );
    }
  });
});

describe("a run that was kept in a file", () => {
  const loop = { prompt: "Go", "until-bash": "grep -qx green state.txt", "max-iterations": "1" };
  const handed = () => {
    const folder = mkdtempSync(join(tmpdir(), "handed-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return `bundle:${join(folder, "run.bundle")}`;
  };

  test.each([
    ["green", "success", true],
    ["yellow", "failure", false],
  ])(
    "by a job that may not write is published by another, and work that is %s ends as %s",
    async (colour, conclusion, ok) => {
      const { host } = await open();
      const store = handed();
      host.git.fault = ({ kind }) => (kind === "push" ? "forbid" : undefined);
      const ran = await useOnHost({
        host,
        inputs: { ...loop, store, "agent-command": `echo ${colour} > state.txt; echo Done.` },
      });
      expect(ran.outputs["conclusion"], ran.log.join("\n")).toBe(conclusion);
      host.git.fault = undefined;
      const publish = { command: "publish", "run-id": ran.outputs["run-id"] ?? "", store };
      const result = await useOnHost({ host, inputs: { ...publish, publish: "pull-request" } });
      expect([result.ok, result.outputs["conclusion"]], result.log.join("\n")).toEqual([ok, conclusion]);
      expect(host.git.git("show", "until-green/inline:state.txt")).toBe(colour);
      expect((await host.as("octocat", `GET /pulls/${result.outputs["pull-request-number"]}`)).draft).toBe(
        !ok,
      );
    },
  );

  test("and that people rejected is not published", async () => {
    const { host } = await open();
    const ran = await useOnHost({ host, inputs: { workflow: "ask", agent } });
    const run = ran.outputs["run-id"] ?? "";
    await recordIn(host, run, (gate) => ({
      type: "run.decided",
      at: new Date().toISOString(),
      gate,
      decision: "reject",
      by: "ada",
      text: "no",
    }));
    const inputs = { command: "publish", "run-id": run, publish: "branch" };
    const result = await useOnHost({ host, inputs });
    expect([result.ok, result.outputs["conclusion"]]).toEqual([false, "failure"]);
    expect(annotationsOf(result, "warning")[0]?.message).toContain(
      "nothing is published for a run that ended as failure",
    );
    expect(host.git.git("branch", "--list", "until-green/*")).toBe("");
  });
});

test("workflow files are in the snapshots and in what is published where both they and a token for them are given", async () => {
  const { host } = await open();
  const command =
    "mkdir -p .github/workflows; echo x > .github/workflows/ci.yml; echo green > state.txt; echo Done.";
  const inputs = {
    prompt: "Go",
    "until-bash": "grep -qx green state.txt",
    publish: "branch",
    "agent-command": command,
    "allow-workflow-files": "true",
    "push-token": host.tokenOf("octocat"),
  };
  const result = await useOnHost({ host, inputs });
  expect(result.ok, result.log.join("\n")).toBe(true);
  const work = `refs/until-green/${result.outputs["run-id"]}/work`;
  expect(host.git.git("show", `${work}:.github/workflows/ci.yml`)).toBe("x");
  expect(host.git.git("show", "until-green/inline:.github/workflows/ci.yml")).toBe("x");
});
