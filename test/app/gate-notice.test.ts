import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { announceGates } from "../../action/github/gate-notices.ts";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { parseRunStatus } from "../../src/status/run-status-schema.ts";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";

const run = "asking-run-0a1b2c3d";

/** What the job of a run tells people when it ends; answers what went wrong. */
async function announce(github: GitHubHost, inputs: Partial<Parameters<typeof announceGates>[1]> = {}) {
  const client = openGitHub({ token: github.token, repository: github.repository, apiUrl: github.url });
  const api = apiOf(client);
  const site = openRepositoryContext({ api, ...client.at, defaultBranch: "main", login: client.login });
  const status = parseRunStatus(tipOf(github, run).state.status);
  if (status === undefined) throw new Error("no status");
  const shown = { site, status, pull: 1, link: "https://github.test/c", clean: (text: string) => text };
  return await announceGates(shown, { notify: "mention", "notify-url": undefined, ...inputs });
}

const gates = [{ nonce: "abcdefghij", question: "Shall I go on, @eve?" }];
const notices = async (github: GitHubHost) =>
  (await github.as("octocat", "GET /issues/1/comments")).filter(({ body }: { body: string }) =>
    body.startsWith("<!-- until-green:gate="),
  );

test("a new gate mentions once who may decide, and the comment is minimised once it is decided", async () => {
  const { github, say } = await openAppRepository();
  seedRun(github, { run, gates, origin: { pull: 1, actor: "ada", workflow: "loop.yml" } });
  expect(await announce(github)).toEqual([]);
  expect(await announce(github)).toEqual([]);
  const [notice, ...others] = await notices(github);
  expect(others).toEqual([]);
  expect(notice.body).toContain("@ada @octocat `fix-tests` waits for your decision");
  expect(notice.body).toContain("https://github.test/c");
  expect(notice.body).toContain("`/workflow approve 0a1b2c3d`");
  expect(notice.body).not.toContain("@eve");
  expect(github.minimized.size).toBe(0);
  await say("ada", `/workflow approve ${run}`);
  expect([...github.minimized]).toEqual([notice.node_id]);
});

test("approvers of the configuration are mentioned instead of others, and no one with `notify: none`", async () => {
  const { github } = await openAppRepository({ ".github/until-green.yml": "approvers: [bob, octo/core]\n" });
  seedRun(github, { run, gates, origin: { pull: 1, actor: "ada" } });
  expect(await announce(github, { notify: "none" })).toEqual([]);
  expect(await notices(github)).toEqual([]);
  await announce(github);
  expect((await notices(github))[0].body).toContain("@bob @octo/core `fix-tests`");
});

test("a webhook is posted what Slack takes, and its address stays secret where it fails", async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.on("data", (chunk) => bodies.push(String(chunk)));
    request.on("end", () => response.writeHead(bodies.length === 1 ? 200 : 500).end());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/secret`;
  const { github } = await openAppRepository();
  seedRun(github, { run, gates, origin: { pull: 1 } });
  expect(await announce(github, { notify: "none", "notify-url": url })).toEqual([]);
  expect(JSON.parse(bodies[0] ?? "")).toEqual({
    text: `fix-tests waits for a decision (run ${run}): https://github.test/c`,
  });
  expect(await announce(github, { notify: "none", "notify-url": url })).toEqual([
    "`notify-url` was not reached: it answered 500",
  ]);
});
