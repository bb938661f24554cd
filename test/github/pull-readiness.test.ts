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
    { name: "ci 1", state: "failed", log: "" },
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
