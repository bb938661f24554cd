import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";
import { deliver, workflowHook } from "./hooks.ts";

const ci = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps: [{ run: npm test }]\n";
const nightly = "on: push\njobs:\n  loop:\n    steps: [{ uses: until-green/until-green@v1 }]\n";
const files = { ".github/workflows/ci.yml": ci, ".github/workflows/nightly.yml": nightly };

test("a CI run that has nothing to do with us costs two calls, however many runs are kept, and then none", async () => {
  const { github, home } = await openAppRepository(files);
  seedRun(github, { run: "kept-run-0a1b2c3d" });
  const commit = github.git.git("rev-parse", "refs/until-green/kept-run-0a1b2c3d/state");
  const packed = Array.from({ length: 10_000 }, (_, at) => `${commit} refs/until-green/many-${at}/state\n`);
  appendFileSync(join(github.git.path, "packed-refs"), packed.join(""));
  expect(github.git.git("for-each-ref", "refs/until-green/").split("\n")).toHaveLength(10_001);
  const callsOf = async (path: string) => {
    const before = github.journal.length;
    await deliver(github, home.hooks, { event: "workflow_run", hook: workflowHook(7, path) });
    await home.app.deliveries.idle();
    return github.journal.slice(before).filter(({ path: asked }) => !asked.endsWith("/access_tokens"));
  };
  expect((await callsOf(".github/workflows/ci.yml")).length).toBe(2);
  expect(await callsOf(".github/workflows/ci.yml")).toEqual([]);
});

test("the end of a job that drove a run is handled, whatever its workflow is called", async () => {
  const { github, home } = await openAppRepository(files);
  seedRun(github, {
    run: "dead-run-0a1b2c3d",
    state: "running",
    gates: [],
    origin: { pull: 1 },
    job: { run: 7, attempt: 1 },
  });
  await deliver(github, home.hooks, {
    event: "workflow_run",
    hook: workflowHook(7, ".github/workflows/nightly.yml"),
  });
  await home.app.deliveries.idle();
  const comments = await github.as("octocat", "GET /issues/1/comments");
  expect(comments.at(-1).body).toContain("ended before the run did");
});
