import { expect, test } from "vitest";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { verifyDecision } from "../../src/issue-ops/verify-decision.ts";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";

const run = "pause-run-0a1b2c3d";

test("a comment asks a running run to pause, which its job takes up, and is proof of it later", async () => {
  const { github, say, marks, replies } = await openAppRepository();
  seedRun(github, { run, state: "running", gates: [], origin: { pull: 1 } });
  const id = await say("ada", "/workflow pause for lunch");
  const { events } = tipOf(github, run);
  expect(events).toMatchObject([
    { type: "run.pause-requested", by: "ada", text: "for lunch", comment: { id } },
  ]);
  expect(marks(id)).toEqual(["eyes", "+1"]);
  expect(github.dispatches).toEqual([]);
  expect(await replies()).toEqual([]);

  const client = openGitHub({ token: github.token, repository: github.repository, apiUrl: github.url });
  const site = openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" });
  const recorded = { run, ...events[0], workflow: undefined };
  expect(await verifyDecision(site, recorded)).toBeUndefined();
  expect(await verifyDecision(site, { ...recorded, text: "" })).toMatch(/says something else/);
});

test.each([
  ["is paused", "paused", /is not running: it is paused already/],
  ["has ended", "ended", /has ended already/],
] as const)("a request to pause a run that %s gets a reply that says so", async (_, state, reply) => {
  const { github, say, replies } = await openAppRepository();
  seedRun(github, { run, state, gates: [], origin: { pull: 1 } });
  await say("ada", `/workflow pause ${run}`);
  await say("ada", "/workflow pause");
  expect(await replies()).toEqual([
    expect.stringMatching(reply),
    expect.stringContaining("no run is running here"),
  ]);
});

test("a person without permission pauses nothing", async () => {
  const { github, say, replies } = await openAppRepository();
  seedRun(github, { run, state: "running", gates: [], origin: { pull: 1 } });
  await say("eve", `/workflow pause ${run}`);
  expect(await replies()).toEqual([expect.stringContaining("the permission `write`")]);
  expect(tipOf(github, run).events).toEqual([{ type: "seeded" }]);
});
