import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type GitHubHost, openGitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf, session } from "./checkout.ts";
import { recordIn } from "./github-job.ts";
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

/** A pull request of the branch `topic`, whose base has moved on, and jobs that try to push to it. */
async function open() {
  const host = await openGitHubHost({ files, users: { ada: "write" } });
  onTestFinished(() => host.close());
  const head = await commitOn(host, "topic", { "new.txt": "new\n" });
  const { payload } = await pullOn(host, "topic");
  const base = await commitOn(host, "main", { "base.txt": "base\n" });
  const asked = join(mkdtempSync(join(tmpdir(), "asked-")), "asked");
  const command = (before: string) => `touch ${asked}; ${before}echo green > state.txt; echo done`;
  const inputs = {
    prompt: "Go",
    "until-bash": "grep -qx green state.txt",
    "agent-command": command(""),
    publish: "push",
  };
  return { host, head, base, payload, inputs, command, hasAsked: () => existsSync(asked) };
}

const { pulls, comment } = {
  pulls: [{ number: 1 }],
  comment: { id: 5, body: "/fix", created_at: "2026-01-01T00:00:00Z", user: { login: "ada", type: "User" } },
};

/** Events whose jobs check out the base, unless they are told otherwise. */
const events = [
  ["pull_request_target", {}, "github.event.pull_request.number"],
  ["pull_request_review", {}, "github.event.pull_request.number"],
  [
    "issue_comment",
    {
      action: "created",
      comment,
      issue: { number: 1, pull_request: { url: "u" } },
      sender: { login: "ada" },
    },
    "github.event.issue.number",
  ],
  [
    "workflow_run",
    { workflow_run: { pull_requests: pulls } },
    "github.event.workflow_run.pull_requests[0].number",
  ],
  ["workflow_dispatch", { inputs: { pull: "1" } }, "inputs.pull"],
] as const;

async function eventOf(fields: object, { payload, head, host }: Awaited<ReturnType<typeof open>>) {
  if (!("workflow_run" in fields)) return Object.keys(fields).length === 0 ? payload : fields;
  const run = { head_sha: head, head_branch: "topic", head_repository: { full_name: host.repository } };
  return { workflow_run: { ...run, pull_requests: pulls } };
}

describe("`publish: push`", () => {
  test.each(events)(
    "refuses on %s a checkout of the base before any agent works, with the line to add",
    async (event, fields, number) => {
      const opened = await open();
      const { host, head, base, inputs, hasAsked } = opened;
      const payload = await eventOf(fields, opened);
      const result = await useOnHost({ host, ref: "main", event, payload, inputs });
      expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "failure", iterations: "0" });
      const message = annotationsOf(result, "error")[0]?.message;
      expect(message).toContain(`this job has checked out ${base.slice(0, 12)}`);
      expect(message).toContain(`\`ref: refs/pull/\${{ ${number} }}/head\``);
      expect(hasAsked()).toBe(false);
      expect(host.git.git("rev-parse", "topic")).toBe(head);
    },
  );

  test.each(events)("works on %s with the head checked out", async (event, fields) => {
    const opened = await open();
    const { host, head, inputs } = opened;
    const payload = await eventOf(fields, opened);
    const result = await useOnHost({ host, ref: "topic", event, payload, inputs });
    expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "success", branch: "topic" });
    expect(host.git.git("log", "-1", "--format=%P", "topic")).toBe(head);
  });

  test("works with GitHub's merge commit of the pull request checked out", async () => {
    const { host, head, payload, inputs } = await open();
    const tree = host.git.git("merge-tree", "--write-tree", "main", "topic");
    const merge = host.git.git("commit-tree", tree, "-p", "main", "-p", "topic", "-m", "Merge");
    host.git.git("update-ref", "refs/pull/1/merge", merge);
    const ref = "refs/pull/1/merge";
    const result = await useOnHost({ host, ref, event: "pull_request", payload, inputs });
    expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "success", branch: "topic" });
    expect(host.git.git("log", "-1", "--format=%P", "topic")).toBe(head);
  });

  test("refuses to resume a run that started from another commit, and to publish its work", async () => {
    const { host, head, base } = await open();
    const inputs = { agent: "scripted:session.yml" };
    const first = await useOnHost({ host, ref: "main", inputs: { ...inputs, workflow: "ask" } });
    const run = first.outputs["run-id"] ?? "";
    expect(first.outputs["conclusion"], first.log.join("\n")).toBe("paused");
    const payload = { inputs: { "run-id": run, pull: "1" } };
    for (const command of ["resume", "publish"]) {
      await (command === "resume" ? approve(host, run) : undefined);
      const again = { ...inputs, command, "run-id": run, publish: "push" };
      const second = await useOnHost({ host, ref: "topic", payload, inputs: again });
      expect(second.outputs["conclusion"], second.log.join("\n")).toBe("failure");
      expect(annotationsOf(second, "error")[0]?.message).toContain(
        `run ${run} started from ${base.slice(0, 12)}`,
      );
      if (command === "resume") {
        const on = await useOnHost({ host, ref: "main", inputs: { ...inputs, command, "run-id": run } });
        expect(on.outputs["conclusion"], on.log.join("\n")).toBe("success");
      }
    }
    expect(host.git.git("rev-parse", "topic")).toBe(head);
  });

  test("names the permission to read the pull request, where it is missing", async () => {
    const { host, payload, inputs, hasAsked } = await open();
    host.fault(/^GET .*\/pulls\/1$/, { status: 403, message: "Resource not accessible by integration" });
    const result = await useOnHost({ host, ref: "topic", event: "pull_request", payload, inputs });
    expect(annotationsOf(result, "error")[0]?.message, result.log.join("\n")).toContain(
      "give the job `permissions: pull-requests: read`",
    );
    expect(hasAsked()).toBe(false);
  });
});

const close = async (host: GitHubHost, how: "closed" | "merged") =>
  how === "merged"
    ? await host.as("octocat", "PUT /pulls/1/merge", {})
    : await host.as("octocat", "PATCH /pulls/1", { state: "closed" });

const approve = async (host: GitHubHost, run: string) =>
  await recordIn(host, run, (gate) => ({
    type: "run.decided",
    at: new Date().toISOString(),
    gate,
    decision: "approve",
    by: "ada",
    text: "blue",
  }));

describe.each(["closed", "merged"] as const)("a pull request that was %s", (how) => {
  test("gets no call and no push, whatever its event says", async () => {
    const { host, payload, inputs, hasAsked } = await open();
    await close(host, how);
    const head = host.git.git("rev-parse", "topic");
    const result = await useOnHost({ host, ref: "topic", event: "pull_request", payload, inputs });
    expect(result.outputs, result.log.join("\n")).toMatchObject({
      conclusion: "skipped",
      "stop-reason": "nothing-to-do",
      iterations: "0",
    });
    expect(annotationsOf(result, "notice")[0]?.message).toMatch(
      `no agent was called, because pull request #1 is ${how}`,
    );
    expect(hasAsked()).toBe(false);
    expect(host.git.git("rev-parse", "topic")).toBe(head);
  });

  test("gets nothing from a job without `publish` that its own event told so, unless that is what started it", async () => {
    const { host, inputs, hasAsked } = await open();
    await close(host, how);
    const pull = await host.as("octocat", "GET /pulls/1");
    const run = { host, ref: "topic", event: "pull_request", inputs: { ...inputs, publish: "none" } };
    const late = await useOnHost({ ...run, payload: { action: "labeled", pull_request: pull } });
    expect(late.outputs["conclusion"], late.log.join("\n")).toBe("skipped");
    expect(hasAsked()).toBe(false);
    const wanted = await useOnHost({ ...run, payload: { action: "closed", pull_request: pull } });
    expect(wanted.outputs["conclusion"], wanted.log.join("\n")).toBe("success");
  });

  test("while the agent worked gets no push, and a comment names the work", async () => {
    const { host, payload, inputs, command } = await open();
    const method = how === "merged" ? "PUT" : "PATCH";
    const [path, body] = how === "merged" ? ["/merge", "{}"] : ["", '{"state":"closed"}'];
    const login = "octocat";
    const closing = `curl -sf -X ${method} -H 'authorization: Bearer ${host.tokenOf(login)}' -H 'content-type: application/json' -d '${body}' ${host.url}/repos/${host.repository}/pulls/1${path} >/dev/null; `;
    const agent = { "agent-command": command(closing) };
    const result = await useOnHost({
      host,
      ref: "topic",
      event: "pull_request",
      payload,
      inputs: { ...inputs, ...agent },
    });
    const head = (await host.as("octocat", "GET /pulls/1")).head.sha;
    expect(host.git.git("rev-parse", "topic"), result.log.join("\n")).toBe(head);
    expect(result.outputs["conclusion"]).toBe("success");
    expect(annotationsOf(result, "notice").map(({ message }) => message)).toContainEqual(
      expect.stringMatching(
        `not published, as pull request #1 was ${how} while this run worked; the work is kept in refs/until-green/`,
      ),
    );
    const ref = `refs/until-green/${result.outputs["run-id"]}/attempt`;
    expect(host.git.git("show", `${ref}:state.txt`)).toBe("green");
    const comments = (await host.as("octocat", "GET /issues/1/comments")) as { body: string }[];
    expect(comments.map(({ body: text }) => text)).toContainEqual(
      expect.stringContaining(`was ${how} while this run worked`),
    );
  });

  test("resumes no run by a command, and the commenter is told", async () => {
    const { host, payload } = await open();
    const inputs = { agent: "scripted:session.yml", publish: "push" };
    const run = {
      host,
      ref: "topic",
      event: "pull_request",
      payload,
      inputs: { ...inputs, workflow: "ask" },
    };
    const first = await useOnHost(run);
    const id = first.outputs["run-id"] ?? "";
    expect(first.outputs["conclusion"], first.log.join("\n")).toBe("paused");
    await close(host, how);
    const body = `/workflow approve ${id}\nblue`;
    const written = await host.as("ada", "POST /issues/1/comments", { body });
    const user = { login: "ada", type: "User" };
    const told = {
      action: "created",
      comment: { id: written.id, body, created_at: written.created_at, user },
      issue: { number: 1, pull_request: { url: "" }, user: { login: "octocat" } },
      repository: { default_branch: "main" },
      sender: user,
    };
    const event = { event: "issue_comment", payload: told, inputs: { ...inputs, command: "comment" } };
    const second = await useOnHost({ host, ref: "topic", ...event });
    expect(second.outputs, second.log.join("\n")).toMatchObject({ conclusion: "skipped", iterations: "0" });
    const comments = (await host.as("octocat", "GET /issues/1/comments")) as { body: string }[];
    expect(comments.at(-1)?.body).toContain(`pull request 1 is ${how}`);
  });
});

test("a deleted head branch is found before any agent works", async () => {
  const { host, payload, inputs, hasAsked } = await open();
  host.git.git("update-ref", "refs/heads/kept", "topic");
  host.git.git("update-ref", "-d", "refs/heads/topic");
  const result = await useOnHost({ host, ref: "kept", event: "pull_request", payload, inputs });
  expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "skipped", iterations: "0" });
  expect(annotationsOf(result, "notice")[0]?.message).toContain(
    "no agent was called, because the branch topic of pull request #1 was deleted",
  );
  expect(hasAsked()).toBe(false);
});
