import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { type GitHubHostOptions, openGitHubHost } from "./host.ts";

interface Payload {
  readonly issue: { readonly pull_request?: unknown };
}

async function host(options: GitHubHostOptions = {}) {
  const opened = await openGitHubHost(options);
  onTestFinished(() => opened.close());
  return opened;
}

test("what git pushes is what the API shows, and the other way round", async () => {
  const github = await host({ files: { "a.txt": "a\n", "src/b.txt": "b\n" } });
  const folder = mkdtempSync(join(tmpdir(), "host-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)("git", ["-C", folder, ...args], { timeout: 30_000 });
    return stdout.trim();
  };
  const url = github.cloneUrl.replace("://", `://x:${github.token}@`);
  await git("clone", "--quiet", url, ".");
  await git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "More");
  await git("push", "--quiet", "origin", "HEAD:refs/heads/topic", "HEAD:refs/until-green/run-1/state");
  const head = await git("rev-parse", "HEAD");
  const ref = await github.as("octocat", "GET /git/ref/until-green/run-1/state");
  expect(ref.object.sha).toBe(head);
  expect(await github.as("octocat", "GET /git/matching-refs/until-green/run-")).toHaveLength(1);
  const blob = await github.as("octocat", "POST /git/blobs", { content: "new\n" });
  const commit = await github.as("octocat", `GET /git/commits/${head}`);
  const tree = await github.as("octocat", "POST /git/trees", {
    base_tree: commit.tree.sha,
    tree: [
      { path: "src/c.txt", mode: "100644", type: "blob", sha: blob.sha },
      { path: "a.txt", mode: "100644", type: "blob", sha: null },
    ],
  });
  const made = await github.as("octocat", "POST /git/commits", {
    message: "By API",
    tree: tree.sha,
    parents: [head],
  });
  await github.as("octocat", "PATCH /git/refs/until-green/run-1/state", { sha: made.sha, force: false });
  await git("fetch", "--quiet", "origin", "refs/until-green/run-1/state");
  expect(await git("ls-tree", "-r", "--name-only", "FETCH_HEAD")).toBe("src/b.txt\nsrc/c.txt");
  const compare = await github.as("octocat", `GET /compare/main...${made.sha}`);
  expect(compare).toMatchObject({
    ahead_by: 2,
    files: [{ filename: "a.txt", status: "removed" }, { filename: "src/c.txt" }],
  });
  const file = await github.as("octocat", "GET /contents/src/b.txt?ref=topic");
  expect(Buffer.from(file.content, "base64").toString()).toBe("b\n");
});

test("a ref moves forward only, unless forced, and is made once", async () => {
  const github = await host();
  const main = github.git.git("rev-parse", "main");
  const other = github.git.git("commit-tree", "main^{tree}", "-m", "Other");
  await github.as("octocat", "POST /git/refs", { ref: "refs/x/y", sha: main });
  await expect(github.as("octocat", "POST /git/refs", { ref: "refs/x/y", sha: main })).rejects.toThrow(
    /422.*already exists/,
  );
  await expect(github.as("octocat", "PATCH /git/refs/x/y", { sha: other })).rejects.toThrow(
    /422.*fast forward/,
  );
  await github.as("octocat", "PATCH /git/refs/x/y", { sha: other, force: true });
  expect(github.git.git("rev-parse", "refs/x/y")).toBe(other);
});

test("rules hold for refs changed through the API too, in GitHub's words", async () => {
  const github = await host();
  const ruleset = { id: 7, name: "all" };
  const main = github.git.git("rev-parse", "main");
  const next = github.git.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Next");
  const other = github.git.git("commit-tree", "main^{tree}", "-m", "Other");
  const rule = (type: string, branches: RegExp) => ({
    type,
    branches,
    ruleset,
    bypass: ["github-actions[bot]"],
  });
  github.rules.push(
    rule("creation", /^locked\//),
    rule("pull_request", /^main$/),
    rule("deletion", /^main$/),
    rule("non_fast_forward", /^topic$/),
  );
  const refused = (rule: string) => new RegExp(`: 422 .*Repository rule violations found.*${rule}`);
  const made = { ref: "refs/heads/locked/a", sha: main };
  await expect(github.as("octocat", "POST /git/refs", made)).rejects.toThrow(
    refused("Cannot create ref due to creations being restricted"),
  );
  await expect(github.as("octocat", "PATCH /git/refs/heads/main", { sha: next })).rejects.toThrow(
    refused("Changes must be made through a pull request"),
  );
  await expect(github.as("octocat", "DELETE /git/refs/heads/main")).rejects.toThrow(
    refused("Cannot delete this branch"),
  );
  await github.as("octocat", "POST /git/refs", { ref: "refs/heads/topic", sha: next });
  const forced = { sha: other, force: true };
  await expect(github.as("octocat", "PATCH /git/refs/heads/topic", forced)).rejects.toThrow(
    refused("Cannot force-push to this branch"),
  );
  expect(github.git.git("for-each-ref", "--format=%(refname) %(objectname)")).toBe(
    `refs/heads/main ${main}\nrefs/heads/topic ${next}`,
  );
  // Refs other than branches have no rules, nor has anyone on the bypass list.
  await github.as("octocat", "POST /git/refs", { ref: "refs/until-green/locked/a", sha: main });
  expect(await github.as("github-actions[bot]", "POST /git/refs", made)).toMatchObject({ ref: made.ref });
});

test("a pull request shows the commits of its branches, and its issue says that it is one", async () => {
  const github = await host({ users: { ada: "write", eve: "read" } });
  github.git.git(
    "branch",
    "topic",
    github.git.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Topic"),
  );
  const pull = await github.as("ada", "POST /pulls", {
    title: "T",
    head: "topic",
    base: "main",
    draft: true,
  });
  expect(pull).toMatchObject({ number: 1, draft: true, head: { sha: github.git.git("rev-parse", "topic") } });
  expect((await github.as("eve", "GET /issues/1")).pull_request).toBeDefined();
  await expect(github.as("ada", "POST /pulls", { title: "T", head: "topic", base: "main" })).rejects.toThrow(
    /already exists/,
  );
  expect(await github.as("ada", "GET /pulls?head=octocat:topic&state=open")).toHaveLength(1);
  github.markFork(1);
  expect((await github.as("ada", "GET /pulls/1")).head.repo.full_name).toBe("stranger/hello");
  expect(await github.as("octocat", "GET /collaborators/eve/permission")).toMatchObject({
    permission: "read",
    role_name: "read",
  });
});

test("comments, reactions, checks, dispatches and runs are there, with GitHub's limits", async () => {
  const github = await host({ users: { ada: "write" } });
  const issue = await github.as("ada", "POST /issues", { title: "I" });
  const comment = await github.as("github-actions[bot]", `POST /issues/${issue.number}/comments`, {
    body: "x".repeat(65_536),
  });
  expect(comment.user).toMatchObject({ login: "github-actions[bot]", type: "Bot" });
  await expect(github.as("ada", "POST /issues/1/comments", { body: "x".repeat(65_537) })).rejects.toThrow(
    /422.*too long/,
  );
  await github.as("ada", `POST /issues/comments/${comment.id}/reactions`, { content: "eyes" });
  expect(github.reactions).toMatchObject([{ content: "eyes", by: "ada" }]);
  const actions = [{ label: "Approve", description: "Go on", identifier: "approve:0123456789" }];
  const sha = github.git.git("rev-parse", "main");
  const check = await github.as("github-actions[bot]", "POST /check-runs", {
    name: "until-green",
    head_sha: sha,
    actions,
  });
  await expect(
    github.as("ada", "POST /check-runs", { name: "until-green", head_sha: "1".repeat(40) }),
  ).rejects.toThrow(/422.*No commit found for SHA: 1111/);
  await github.as("github-actions[bot]", `PATCH /check-runs/${check.id}`, {
    status: "completed",
    conclusion: "action_required",
  });
  const response = await github.as("ada", `GET /commits/${sha}/check-runs`);
  expect(response.check_runs).toMatchObject([{ conclusion: "action_required" }]);
  github.workflows.add("loop.yml");
  await github.as("ada", "POST /actions/workflows/loop.yml/dispatches", {
    ref: "main",
    inputs: { run: "r" },
  });
  await expect(
    github.as("ada", "POST /actions/workflows/no.yml/dispatches", { ref: "main" }),
  ).rejects.toThrow(/404/);
  expect(github.dispatches).toEqual([{ workflow: "loop.yml", ref: "main", inputs: { run: "r" }, by: "ada" }]);
  github.runs.set(7, { id: 7, status: "in_progress" });
  expect(await github.as("ada", "GET /actions/runs/7")).toMatchObject({
    status: "in_progress",
    conclusion: null,
  });
});

test("faults apply to the requests they name, as often as given, and the journal lists all", async () => {
  const github = await host();
  github.fault(/^GET .*\/branches\/main$/, { status: 503 }, 1);
  await expect(github.as("octocat", "GET /branches/main")).rejects.toThrow(/503/);
  expect((await github.as("octocat", "GET /branches/main")).name).toBe("main");
  github.fault(/^POST .*\/issues$/, { drop: true }, 1);
  await expect(github.as("octocat", "POST /issues", { title: "Dropped" })).rejects.toThrow(/fetch failed/);
  expect(await github.as("octocat", "GET /issues")).toMatchObject([{ title: "Dropped" }]);
  expect(github.journal.map(({ status }) => status)).toEqual([503, 200, 0, 200]);
  const bad = await fetch(`${github.url}/repos/octocat/hello`, {
    headers: { authorization: "Bearer wrong" },
  });
  expect(bad.status).toBe(401);
});

test("an app's webhooks are signed and arrive as GitHub would send them", async () => {
  const github = await host({ app: true, users: { ada: "write" } });
  const got: { event: unknown; payload: Payload; signed: boolean }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const payload = JSON.parse(Buffer.concat(parts).toString());
      got.push({
        event: request.headers["x-github-event"],
        payload,
        signed: "x-hub-signature-256" in request.headers,
      });
      response.writeHead(202).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void server.close());
  github.git.git(
    "branch",
    "topic",
    github.git.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Topic"),
  );
  await github.as("ada", "POST /pulls", { title: "T", head: "topic", base: "main" });
  github.webhooks.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/github/webhooks`;
  await github.as("ada", "POST /issues/1/comments", { body: "/workflow status" });
  await expect.poll(() => got.filter(({ event }) => event === "issue_comment").length).toBe(1);
  const comment = got.find(({ event }) => event === "issue_comment");
  expect(comment).toMatchObject({
    event: "issue_comment",
    signed: true,
    payload: { action: "created", installation: { id: 100 } },
  });
  expect(comment?.payload.issue.pull_request).toBeDefined();
  expect(await github.webhooks.deliver("check_run", { action: "requested_action" })).toBe(202);
});
