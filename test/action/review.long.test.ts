import { expect, onTestFinished, test } from "vitest";
import { type GitHubHost, openGitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf, session } from "./checkout.ts";
import { commitOn, pullOn, useOnHost } from "./source.ts";

const write = { "tests/expected.txt": "green\n", "src/new.txt": "n\n" };
const files = {
  "tests/expected.txt": "red\n",
  "session.yml": session(
    { node: "loop", iteration: 1, say: "Done.", write },
    { node: "loop", iteration: 2, say: "There is no other way.", write },
  ),
};
const loop = {
  prompt: "Go",
  "until-bash": "grep -qx green tests/expected.txt",
  agent: "scripted:session.yml",
  comment: "none",
  "check-run": "false",
};
const toPull = { ...loop, publish: "pull-request" };
const branch = "until-green/inline";

async function hostOf(users: Readonly<Record<string, "write" | "read">> = {}): Promise<GitHubHost> {
  const host = await openGitHubHost({ files, users });
  onTestFinished(() => host.close());
  return host;
}

test("green work to review becomes a draft that begins with the reasons, and the next run rests", async () => {
  const host = await hostOf();
  const run = await useOnHost({ host, inputs: toPull });
  expect(run.ok, run.log.join("\n")).toBe(true);
  expect(run.outputs).toMatchObject({ conclusion: "success", "needs-review": "true", iterations: "2" });
  expect(JSON.parse(run.outputs["review-reasons"] ?? "")).toEqual([
    { kind: "protected-file", file: "tests/expected.txt" },
  ]);
  expect(annotationsOf(run, "warning")[0]?.message).toContain("is green, to review");
  const pull = await host.as("octocat", "GET /pulls/1");
  expect(pull.draft).toBe(true);
  expect(pull.body).toMatch(/^#### 👀 To review\n/);
  expect(pull.body).toContain(
    "`tests/expected.txt` is protected, and the check passes only with its change.",
  );
  expect(pull.body).toContain("-red\n+green");
  expect(pull.body).toContain("`/workflow approve`");
  expect(host.git.git("show", `${branch}:tests/expected.txt`)).toBe("green");
  const next = await useOnHost({ host, inputs: toPull });
  expect(next.outputs).toMatchObject({ conclusion: "skipped", iterations: "0" });
  expect(next.log.join("\n")).toContain("pull request #1 is green, to review");
});

test("`/workflow approve` of who may makes the draft ready, and then its work counts as green", async () => {
  const host = await hostOf({ ada: "write", eve: "read" });
  await useOnHost({ host, inputs: toPull });
  const comment = async (login: string) => {
    const posted = await host.as(login, "POST /issues/1/comments", { body: "/workflow approve" });
    const { id, body, created_at } = posted;
    const user = { login, type: "User" };
    const payload = {
      action: "created",
      comment: { id, body, created_at, user },
      issue: { number: 1, pull_request: {}, user: { login: "github-actions[bot]" } },
      sender: { login },
    };
    return await useOnHost({ host, event: "issue_comment", payload, inputs: { command: "comment" } });
  };
  await comment("eve");
  expect((await host.as("octocat", "GET /pulls/1")).draft).toBe(true);
  const answered = await comment("ada");
  expect(answered.ok, answered.log.join("\n")).toBe(true);
  expect((await host.as("octocat", "GET /pulls/1")).draft).toBe(false);
  const next = await useOnHost({ host, inputs: toPull });
  expect(next.log.join("\n")).toContain("pull request #1 is green: merge it, or close it");
});

test("with `publish: push` nothing is pushed before a person approves", async () => {
  const host = await hostOf();
  await commitOn(host, "topic", { "new.txt": "new\n" });
  const { payload } = await pullOn(host, "topic");
  const before = host.git.git("rev-parse", "topic");
  const inputs = { ...loop, publish: "push" };
  const run = await useOnHost({ host, ref: "topic", event: "pull_request", payload, inputs });
  expect(run.outputs, run.log.join("\n")).toMatchObject({
    conclusion: "paused",
    "stop-reason": "gate",
    "needs-review": "true",
  });
  expect(host.git.git("rev-parse", "topic")).toBe(before);
});
