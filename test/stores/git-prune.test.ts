import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { placeOf } from "../../src/stores/run-id.ts";
import { machineOf, openGitServer } from "../parts/git-server.ts";

test("runs that ended long ago go, and the oldest ended where there are too many; no other does", async () => {
  const server = await openGitServer();
  const top = mkdtempSync(join(tmpdir(), "git-prune-"));
  onTestFinished(async () => {
    await server.close();
    rmSync(top, { recursive: true, force: true, maxRetries: 3 });
  });
  const environment = machineOf(server, { home: top });
  const store = gitRefStore({ remote: server.url, cwd: top, environment });
  const keep = async (run: string, status: Parameters<NonNullable<typeof store.describe>>[1]) => {
    await store.read(run);
    store.describe?.(run, status);
    await store.append(run, 0, ["{}"]);
    const place = `refs/until-green/${placeOf(run)}`;
    server.git("update-ref", `${place}/work`, `${place}/state`);
  };
  const ended = (day: number) => ({ summary: { state: "ended", endedAt: `2026-01-0${day}T00:00:00Z` } });
  await keep("ended-1", ended(1));
  await keep("ended-2", ended(2));
  await keep("ended-3", ended(3));
  await keep("paused-1", { summary: { state: "paused" } });
  await keep("ended-1-item-1", { summary: { state: "paused" } });
  await keep("paused-1-item-12", ended(1));
  await keep("odd-run-1", "no standing at all");
  for (const run of ["ended-1", "paused-1"])
    server.git("update-ref", `refs/until-green/${run}/claims`, `refs/until-green/${run}/state`);
  const endedBefore = "2026-01-02T00:00:00Z";
  expect(await store.prune?.({ endedBefore, most: 100 })).toEqual(
    expect.arrayContaining(["ended-1", "paused-1-item-12"]),
  );
  expect(await store.list()).toHaveLength(5);
  // An item is a run of its own: it outlives the run it is one of, and that outlives its items.
  expect(await store.prune?.({ endedBefore, most: 4 })).toEqual(["ended-2"]);
  expect(await store.prune?.({ endedBefore, most: 1 })).toEqual(["ended-3"]);
  expect(await store.prune?.({ endedBefore, most: 1 })).toEqual([]);
  expect(server.git("for-each-ref", "--format=%(refname)").split("\n")).toEqual([
    // The last item of the other fan-out is gone, and its claims with it.
    "refs/until-green/ended-1/claims",
    "refs/until-green/ended-1/items/1/state",
    "refs/until-green/ended-1/items/1/work",
    "refs/until-green/odd-run-1/state",
    "refs/until-green/odd-run-1/work",
    "refs/until-green/paused-1/state",
    "refs/until-green/paused-1/work",
  ]);
});
