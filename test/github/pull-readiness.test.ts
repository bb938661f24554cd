import { expect, onTestFinished, test } from "vitest";
import { keepCheck } from "../../src/github/checks.ts";
import { openGitHub } from "../../src/github/client.ts";
import { readPullReadiness } from "../../src/github/pull-readiness.ts";
import { upsertCheckRun } from "../../src/issue-ops/publish-status.ts";
import { buildRunStatus } from "../../src/status/run-status.ts";
import { startSummary } from "../../src/status/run-summary.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";

async function open() {
  const host = await openGitHubHost({ users: { ada: "write", "app[bot]": "write" } });
  onTestFinished(() => host.close());
  const clientOf = (token: string) =>
    openGitHub({ token, repository: host.repository, apiUrl: host.url, secondMs: 10 });
  return { host, clientOf, github: clientOf(host.token), head: host.git.git("rev-parse", "main") };
}

test("the checks of a head are all read, however many there are, and commit statuses with them", async () => {
  const { host, github, head } = await open();
  const output = { title: null, summary: null, annotations_count: 0 };
  for (let id = 1; id <= 101; id++) {
    const conclusion = id === 1 ? "failure" : "success";
    (host.checks as Map<number, object>).set(id, {
      id,
      name: `ci ${id}`,
      head_sha: head,
      status: "completed",
      conclusion,
      output,
    });
  }
  host.statuses.push(
    { sha: head, context: "jenkins", state: "pending" },
    { sha: head, context: "jenkins", state: "failure", description: "2 tests fail" },
    { sha: head, context: "lint", state: "success" },
  );
  await host.as("octocat", "POST /issues", { title: "I" });
  const { checks } = await readPullReadiness(github, { number: 1, head, isOwn: () => false });
  expect(checks).toHaveLength(103);
  expect(checks.filter(({ state }) => state !== "passed")).toEqual([
    { name: "ci 1", state: "failed", log: "", report: { title: "", text: "", annotations: [], unread: 0 } },
    { name: "jenkins", state: "failed", log: "2 tests fail" },
  ]);
});

test("a token that may not read commit statuses still reads checks; a host that is down is no green", async () => {
  const { host, github, head } = await open();
  host.fault(/\/status$/, { status: 403 });
  const asked = { number: 1, head, isOwn: () => false };
  expect((await readPullReadiness(github, asked)).checks).toEqual([]);
  const down = await open();
  down.host.fault(/\/check-runs$/, { status: 422 });
  await expect(readPullReadiness(down.github, { ...asked, head: down.head })).rejects.toThrow("422");
});

test("failed checks come with what their app reports, at most 50 annotations each, and others are not asked", async () => {
  const { host, github, head } = await open();
  const at = (line: number) => ({
    path: "a.js",
    start_line: line,
    end_line: line,
    annotation_level: "failure",
    title: "SQL injection",
    message: `query ${line}`,
  });
  const report = async (name: string, conclusion: string, output: object) =>
    (await host.as("octocat", "POST /check-runs", {
      ...{ name, head_sha: head, status: "completed", conclusion, output },
    })) as { readonly id: number };
  const words = { title: "2 alerts", summary: "CodeQL found them.", text: "More" };
  const annotations = Array.from({ length: 50 }, (_, index) => at(index + 1));
  const { id } = await report("CodeQL", "failure", { ...words, annotations });
  await host.as("octocat", `PATCH /check-runs/${id}`, {
    output: { ...words, annotations: [at(51), at(52)] },
  });
  await report("fine", "success", { ...words, annotations: [at(1)] });
  await report("plain", "failure", words);
  await host.as("octocat", "POST /issues", { title: "I" });
  const seen = await readPullReadiness(github, { number: 1, head, isOwn: () => false });
  expect(seen).toMatchObject({ refusals: [] });
  const read = Array.from({ length: 50 }, (_, index) => ({
    ...{ path: "a.js", line: index + 1, endLine: index + 1, level: "failure" },
    ...{ title: "SQL injection", message: `query ${index + 1}` },
  }));
  expect(seen.checks).toMatchObject([
    {
      name: "CodeQL",
      report: { title: "2 alerts", text: "CodeQL found them.\n\nMore", annotations: read, unread: 2 },
    },
    { name: "fine", state: "passed" },
    { name: "plain", report: { annotations: [], unread: 0 } },
  ]);
  const asked = host.journal.filter(({ path }) => path.endsWith("/annotations"));
  expect(asked).toMatchObject([{ path: expect.stringContaining(`/check-runs/${id}/`) }]);
});

test("annotations and logs that a token may not read are told once each, and read as none", async () => {
  const { host, github, head } = await open();
  host.fault(/\/annotations$/, { status: 403 });
  host.fault(/\/logs$/, { status: 403 });
  const place = { path: "a.js", start_line: 1, end_line: 1, annotation_level: "failure", message: "m" };
  const output = { title: "t", summary: "s", annotations: [place] };
  for (const name of ["a", "b"])
    await host.as("octocat", "POST /check-runs", {
      ...{ name, head_sha: head, status: "completed", conclusion: "failure", output },
    });
  await host.as("octocat", "POST /issues", { title: "I" });
  const { checks, refusals } = await readPullReadiness(github, { number: 1, head, isOwn: () => false });
  const report = { title: "t", text: "s", annotations: [], unread: 1 };
  expect(checks).toEqual(["a", "b"].map((name) => ({ name, state: "failed", log: "", report })));
  expect(refusals.toSorted()).toEqual([
    expect.stringMatching(/^the annotations of failed checks .*403.*checks: read`$/),
    expect.stringMatching(/^the logs of failed jobs .*403.*actions: read`$/),
  ]);
});

test("a run has one check, whoever created it first, and only an app's has buttons", async () => {
  const { host, clientOf, github, head } = await open();
  const summary = { ...startSummary(), run: "gate-run-1", workflow: "w", state: "paused" as const };
  const gate = { need: "/g", path: "/g", question: "m", since: "2026-01-01T00:00:00Z" };
  const status = buildRunStatus({
    summary: { ...summary, stopReason: "gate" },
    gates: [gate as never],
    origin: undefined,
    job: undefined,
    work: undefined,
  });
  const server = host.origin;
  const id = await upsertCheckRun({ github, server }, status, { head });
  const byApp = { github: clientOf(host.tokenOf("app[bot]")), server };
  expect(await upsertCheckRun(byApp, status, { head })).toBe(id);
  expect(host.checks.size).toBe(1);
  const sent = host.journal.filter(({ path, status: code }) => /check-runs/.test(path) && code < 300);
  const actionsOf = (body: unknown) => (body as { readonly actions?: readonly object[] }).actions;
  expect(sent.flatMap(({ body }) => actionsOf(body) ?? [])).toEqual([]);
  const other = host.git.git("commit-tree", "main^{tree}", "-m", "Other");
  await upsertCheckRun(byApp, status, { head: other });
  expect(actionsOf(host.journal.at(-1)?.body)).toHaveLength(3);
  const shown = { status: "in_progress", title: "t", summary: "s", actions: [] } as const;
  await keepCheck(github, { head, name: "until-green: w", externalId: "gate-run-1" }, shown);
  expect(host.checks.get(id)).toMatchObject({ status: "in_progress" });
});
