import { expect, onTestFinished, test } from "vitest";
import { keepCheck } from "../../src/github/checks.ts";
import { GitHubError, openGitHub } from "../../src/github/client.ts";
import { findComment, keepComment } from "../../src/github/comments.ts";
import {
  addLabels,
  createPull,
  findLastPull,
  findPull,
  readPull,
  setDraft,
  updatePull,
} from "../../src/github/pulls.ts";
import { isChecked, isRunAlive } from "../../src/github/runs.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";

const by = ["github-actions[bot]"];

async function open(patienceMs = 3_000, enterprise = false) {
  const host = await openGitHubHost({ users: { ada: "write" }, enterprise });
  onTestFinished(() => host.close());
  const options = {
    repository: host.repository,
    apiUrl: host.url,
    patienceMs,
    timeoutMs: 2_000,
    secondMs: 100,
  };
  return { host, github: openGitHub({ token: host.token, ...options }), options };
}

test("the client knows who its token acts as, for a job and for a person", async () => {
  const { host, github, options } = await open();
  expect(await github.login()).toBe("github-actions[bot]");
  expect(await openGitHub({ ...options, token: host.tokenOf("ada") }).login()).toBe("ada");
});

test("a temporary error is retried, and a permanent one is reported without the token", async () => {
  const { host, github, options } = await open();
  await host.as("ada", "POST /issues", { title: "I" });
  host.fault(/^GET .*\/issues\/1\/comments/, { status: 502 }, 2);
  expect(await findComment(github, { issue: 1, marker: "<!-- m -->", by })).toBeUndefined();
  host.fault(
    /^GET .*\/issues\/1\/comments/,
    { status: 403, message: "You have exceeded a secondary rate limit", headers: { "retry-after": "1" } },
    1,
  );
  expect(await findComment(github, { issue: 1, marker: "<!-- m -->", by })).toBeUndefined();
  const wrong = openGitHub({ ...options, token: "ghp_wrongwrongwrong" });
  const error = await readPull(wrong, 1).catch((it: unknown) => it);
  expect(error).toMatchObject({
    name: "GitHubError",
    status: 401,
    message: "GitHub answered 401 to GET /repos/octocat/hello/pulls/1: Bad credentials",
  });
  expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain("wrongwrong");
});

// With the usual patience of a minute, the retries would take longer than this test may.
test("a host that stays away, or says nothing, is given up within the time", {
  timeout: 45_000,
}, async () => {
  const { host, options } = await open(1_500);
  const github = openGitHub({ ...options, token: host.token, secondMs: 1_000 });
  host.fault(/^GET .*\/pulls\/1$/, { refuse: true });
  await expect(readPull(github, 1)).rejects.toThrow(
    /GitHub did not answer GET \/repos\/octocat\/hello\/pulls\/1/,
  );
});

test("a refusal names the permissions that GitHub says are wanted", async () => {
  const { host, github } = await open();
  const headers = { "x-accepted-github-permissions": "issues=write; pull_requests=write" };
  host.fault(/^POST .*\/comments$/, {
    status: 403,
    message: "Resource not accessible by integration",
    headers,
  });
  await host.as("ada", "POST /issues", { title: "I" });
  const failed = keepComment(github, { issue: 1, marker: "<!-- m -->", by, write: () => "<!-- m -->\nhi" });
  await expect(failed).rejects.toMatchObject({
    status: 403,
    wants: ["issues: write", "pull-requests: write"],
  });
});

test("there is one comment of a marker, even if it was copied or the response to the post was lost", async () => {
  const { host, github } = await open();
  await host.as("ada", "POST /issues", { title: "I" });
  await host.as("ada", "POST /issues/1/comments", { body: "<!-- m -->\nmine!" });
  host.fault(/^POST .*\/comments$/, { drop: true }, 1);
  const keep = (text: string) =>
    keepComment(github, { issue: 1, marker: "<!-- m -->", by, write: () => `<!-- m -->\n${text}` });
  const { id } = await keep("one");
  expect((await keep("two")).id).toBe(id);
  const comments = await host.as("ada", "GET /issues/1/comments");
  expect(comments.map(({ body }: { body: string }) => body)).toEqual([
    "<!-- m -->\nmine!",
    "<!-- m -->\ntwo",
  ]);
  await expect(keep("x".repeat(70_000))).rejects.toBeInstanceOf(GitHubError);
});

test("a run has one check on a commit", async () => {
  const { host, github } = await open();
  const head = host.git.git("rev-parse", "main");
  const place = { head, name: "until-green: fix", externalId: "run-1" };
  const shown = { title: "T", summary: "S", actions: [] };
  const id = await keepCheck(github, place, { ...shown, status: "in_progress" });
  expect(await keepCheck(github, place, { ...shown, status: "completed", conclusion: "success" })).toBe(id);
  expect(
    await keepCheck(github, { ...place, externalId: "run-2" }, { ...shown, status: "in_progress" }),
  ).not.toBe(id);
  expect([...host.checks.values()].map(({ conclusion }) => conclusion)).toEqual(["success", null]);
});

test("a check that is behind a newer one of its run does not stay in progress", async () => {
  const { host, github } = await open();
  const head = host.git.git("rev-parse", "main");
  const name = "until-green: fix";
  const shown = { title: "T", summary: "S", actions: [] };
  const place = { head, name, externalId: "run-1" };
  const id = await keepCheck(github, place, { ...shown, status: "in_progress" });
  const login = host.checks.get(id)?.by ?? "";
  // Another process found none at the same time, and another run has one too.
  for (const run of ["run-1", "run-2", "run-1"])
    await host.as(login, "POST /check-runs", { name, head_sha: head, external_id: run });
  await keepCheck(github, place, { ...shown, status: "completed", conclusion: "failure" });
  expect([...host.checks.values()].map(({ conclusion }) => conclusion)).toEqual([
    "neutral",
    "neutral",
    null,
    "failure",
  ]);
});

test.each([
  ["github.com", false],
  ["GitHub Enterprise Server", true],
])("on %s a pull request is opened, found again and changed", async (_, enterprise) => {
  const { host, github } = await open(3_000, enterprise);
  host.git.git("branch", "topic", host.git.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Topic"));
  const pull = await createPull(github, { title: "T", body: "B", head: "topic", base: "main", draft: true });
  expect(pull).toMatchObject({ number: 1, draft: true, isOwn: true });
  await updatePull(github, 1, { title: "T2", body: "B2" });
  await addLabels(github, 1, ["loop"]);
  await setDraft(github, pull, false);
  expect(await findPull(github, "topic")).toMatchObject({ number: 1, draft: false });
  expect(await findPull(github, "other")).toBeUndefined();
  host.markFork(1);
  expect((await readPull(github, 1)).isOwn).toBe(false);
});

test.each(["octocat/hi", "bea/hello"])(
  "a job that began before the repository became %s still finds its pull requests",
  async (name) => {
    const { host, github } = await open();
    host.git.git("branch", "topic", host.git.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Topic"));
    await createPull(github, { title: "T", body: "B", head: "topic", base: "main", draft: false });
    host.rename(name);
    expect(await findPull(github, "topic")).toMatchObject({ number: 1 });
    expect(await findLastPull(github, "topic")).toMatchObject({ number: 1 });
    expect(await findPull(github, "other")).toBeUndefined();
  },
);

test("whether a job is alive, and a commit checked, is what GitHub says", async () => {
  const { host, github } = await open();
  host.runs.set(7, { id: 7, status: "in_progress", run_attempt: 2, head_sha: "abc" });
  expect(await isRunAlive(github, { run: 7, attempt: 2 })).toBe(true);
  expect(await isRunAlive(github, { run: 7, attempt: 1 })).toBe(false);
  expect(await isRunAlive(github, { run: 8, attempt: 1 })).toBe(false);
  host.fault(/actions\/runs\/7$/, { status: 403, message: "Resource not accessible by integration" }, 1);
  expect(await isRunAlive(github, { run: 7, attempt: 2 })).toBeUndefined();
  host.runs.set(7, { id: 7, status: "completed", conclusion: "success" });
  expect(await isRunAlive(github, { run: 7, attempt: 1 })).toBe(false);
  expect(await isChecked(github, host.git.git("rev-parse", "main"))).toBe(false);
  const head_sha = host.git.git("rev-parse", "main");
  host.runs.set(8, { id: 8, status: "completed", conclusion: "action_required", head_sha });
  expect(await isChecked(github, head_sha)).toBe(false);
  host.runs.set(9, { id: 9, status: "queued", head_sha });
  expect(await isChecked(github, head_sha)).toBe(true);
});
