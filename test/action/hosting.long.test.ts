import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { outputNames } from "../../action/result/outputs.ts";
import { shortRunId } from "../../src/ports/short-run-id.ts";
import { type GitHubHostOptions, openGitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf, session } from "./checkout.ts";
import { commitOn, pullOn, useOnHost } from "./source.ts";

const files = {
  "state.txt": "red\n",
  "session.yml": session(
    { node: "loop", iteration: 1, say: "Tried.", write: { "state.txt": "nearly\n" } },
    { node: "loop", iteration: 2, say: "Done now.", write: { "state.txt": "green\n" } },
  ),
};
const inline = { prompt: "Go", "until-bash": "grep -qx green state.txt", agent: "scripted:session.yml" };
const gate = `name: ask
interactive: true
nodes:
  - id: loop
    loop: { prompt: Go, until: READY, max_iterations: 3, interactive: true, gate_message: "Shall it be blue? @octocat" }
`;

async function hostOf(options: GitHubHostOptions = {}) {
  const host = await openGitHubHost({ files, ...options });
  onTestFinished(() => host.close());
  return host;
}

const comments = async (host: Awaited<ReturnType<typeof hostOf>>, number = 1) =>
  (await host.as("octocat", `GET /issues/${number}/comments`)) as {
    id: number;
    body: string;
    user: { login: string };
  }[];

describe("a job on a pull request", () => {
  test("shows its run in one comment and in a check on the head, which end as the run ends", async () => {
    const host = await hostOf();
    const head = await commitOn(host, "topic", { "new.txt": "new\n" });
    const { payload } = await pullOn(host, "topic");
    const result = await useOnHost({ host, ref: "topic", event: "pull_request", payload, inputs: inline });
    expect(result.ok, result.log.join("\n")).toBe(true);
    const [comment, ...others] = await comments(host);
    expect(others).toEqual([]);
    expect(comment?.body).toMatch(/^<!-- until-green:run=inline-[0-9a-f]{8} -->\n### ✅ inline succeeded/);
    expect(comment?.user.login).toBe("github-actions[bot]");
    expect(result.outputs["comment-id"]).toBe(String(comment?.id));
    expect([...host.checks.values()]).toMatchObject([
      { head_sha: head, status: "completed", conclusion: "success", name: "until-green: inline" },
    ]);
    expect(annotationsOf(result, "warning")).toEqual([]);
  });

  test("its check requires action while a gate waits", async () => {
    const host = await hostOf({
      files: { ...files, ".github/loops/ask.yml": gate, "session.yml": session({ say: "Which?" }) },
    });
    await commitOn(host, "topic", { "new.txt": "new\n" });
    const { payload } = await pullOn(host, "topic");
    const inputs = { workflow: "ask", agent: "scripted:session.yml" };
    const result = await useOnHost({ host, ref: "topic", event: "pull_request", payload, inputs });
    expect(result.outputs["conclusion"], result.log.join("\n")).toBe("paused");
    const [comment] = await comments(host);
    expect(comment?.body).toContain("> Shall it be blue? @&#8203;octocat");
    expect(comment?.body).toContain(`/workflow approve ${shortRunId(result.outputs["run-id"] ?? "")}\n`);
    expect([...host.checks.values()]).toMatchObject([{ conclusion: "action_required" }]);
  });

  test.each([
    [{ status: 422, message: "Validation Failed" }],
    [{ status: 403, message: "Resource not accessible by integration" }],
    [{ status: 502 }],
    [{ refuse: true }],
  ])("continues with a warning when GitHub answers its posts with %j", async (fault) => {
    const host = await hostOf();
    await commitOn(host, "topic", { "new.txt": "new\n" });
    const { payload } = await pullOn(host, "topic");
    host.fault(/^(POST|PATCH) .*\/(comments|check-runs)/, fault);
    const inputs = { ...inline, comment: "sticky" };
    const result = await useOnHost({ host, ref: "topic", event: "pull_request", payload, inputs });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(Object.keys(result.outputs)).toEqual([...outputNames]);
    expect(result.outputs).toMatchObject({ conclusion: "success", "comment-id": "" });
    expect(annotationsOf(result, "warning").map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^the comment does not show the run: GitHub (answered \d+ to|did not answer) /),
    );
  });

  test("finds the comment again whose post was never answered", async () => {
    const host = await hostOf();
    await commitOn(host, "topic", { "new.txt": "new\n" });
    const { payload } = await pullOn(host, "topic");
    host.fault(/^POST .*\/comments/, { drop: true }, 1);
    const result = await useOnHost({ host, ref: "topic", event: "pull_request", payload, inputs: inline });
    const all = await comments(host);
    expect([all.length, result.outputs["comment-id"]]).toEqual([1, String(all[0]?.id)]);
    expect(all[0]?.body).toContain("succeeded");
  });

  test("puts back what the pull request changed of the agent's instructions, and says what", async () => {
    const loop = "name: w\nnodes:\n  - id: loop\n    loop: { prompt: Go, until: READY, max_iterations: 1 }\n";
    const host = await hostOf({
      files: {
        ...files,
        "CLAUDE.md": "good\n",
        ".github/loops/w.yml": loop,
        "ci/agent.sh":
          "cat CLAUDE.md deep/AGENTS.md .claude/settings.json 2>&1; echo '<promise>READY</promise>'\n",
      },
    });
    await commitOn(host, "topic", {
      "CLAUDE.md": "evil\n",
      "deep/AGENTS.md": "evil\n",
      ".claude/settings.json": "evil\n",
      ".github/loops/w.yml": loop.replace("Go", "evil"),
      // A path of this name would be taken before the workflow of this name.
      w: loop.replace("READY", "evil"),
    });
    const { payload } = await pullOn(host, "topic");
    const inputs = { workflow: "w", "agent-command": "bash ci/agent.sh", publish: "push" };
    const result = await useOnHost({
      host,
      ref: "topic",
      event: "pull_request",
      payload,
      inputs: { ...inputs, "if-no-changes": "ignore" },
    });
    expect(result.ok, result.log.join("\n")).toBe(true);
    expect(result.log.join("\n")).toMatch(
      /Restored from \w+, because these files instruct agents: \.claude\/settings\.json, \.github\/loops\/w\.yml, CLAUDE\.md, deep\/AGENTS\.md, w/,
    );
    expect(result.outputs["final-message"]).toContain("good");
    expect(result.outputs["final-message"]).not.toContain("evil");
    expect(await readFile(join(result.workspace, "CLAUDE.md"), "utf8")).toBe("good\n");
    // What the pull request itself says is its own affair: it is not published over.
    expect(host.git.git("show", "topic:CLAUDE.md")).toBe("evil");
    expect(host.git.git("show", "topic:w")).toContain("evil");
  });

  test.each([
    [
      "pull_request",
      {
        number: 3,
        head: { ref: "x", sha: "a", repo: { full_name: "eve/hello" } },
        base: { ref: "main", sha: "b" },
      },
      "pull request #3 comes from eve/hello, a fork",
    ],
    [
      "pull_request_target",
      { number: 3, head: { ref: "x", sha: "a", repo: null }, base: { ref: "main", sha: "b" } },
      "a fork",
    ],
  ])("does not start on a fork, under %s", async (event, pull, sentence) => {
    const host = await hostOf();
    const result = await useOnHost({ host, event, payload: { pull_request: pull }, inputs: inline });
    expect([result.ok, result.outputs["conclusion"]]).toEqual([false, "failure"]);
    expect(annotationsOf(result, "error")[0]?.message).toContain(sentence);
    expect(host.journal.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("does not start on a fork's run, nor for a comment on a fork's pull request", async () => {
    const host = await hostOf();
    const run = { head_sha: "a", head_repository: { full_name: "eve/hello" }, pull_requests: [] };
    const after = await useOnHost({
      host,
      event: "workflow_run",
      payload: { workflow_run: run },
      inputs: inline,
    });
    expect(annotationsOf(after, "error")[0]?.message).toContain(
      "this workflow_run job comes from eve/hello, a fork",
    );
    await commitOn(host, "topic", { "new.txt": "new\n" });
    const { number } = await pullOn(host, "topic");
    host.markFork(number, "eve/hello");
    const issue = { number, pull_request: {} };
    const comment = await useOnHost({ host, event: "issue_comment", payload: { issue }, inputs: inline });
    expect(annotationsOf(comment, "error")[0]?.message).toContain("a fork");
  });
});
