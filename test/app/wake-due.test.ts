import { expect, test } from "vitest";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { sweep } from "../../src/issue-ops/sweep.ts";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";

test("the sweep resumes a run that waited for its provider once the time has come, and no other", async () => {
  const { github } = await openAppRepository();
  const client = openGitHub({
    token: github.token,
    repository: github.repository,
    apiUrl: github.url,
  });
  const site = openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" });
  const origin = { workflow: ".github/workflows/loop.yml" };
  const paused = (wakeAt: string) => ({
    summary: { stopReason: "rate-limit", wakeAt } as const,
    gates: [],
    origin,
  });
  seedRun(github, { run: "due-run-0a1b2c3d", ...paused("2026-01-01T05:00:00.000Z") });
  seedRun(github, { run: "later-run-0a1b2c3d", ...paused("2999-01-01T05:00:00.000Z") });
  expect(await sweep(site)).toMatchObject({ runs: 2, started: ["due-run-0a1b2c3d"], faults: [] });
  expect(github.dispatches).toMatchObject([
    { workflow: "loop.yml", ref: "main", inputs: { "run-id": "due-run-0a1b2c3d" } },
  ]);
});
