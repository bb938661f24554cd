import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { machineOf, openGitServer } from "../parts/git-server.ts";

const run = "rhythm-1";

async function open(pushMs: number) {
  const server = await openGitServer();
  const top = mkdtempSync(join(tmpdir(), "git-rhythm-"));
  onTestFinished(async () => {
    await server.close();
    rmSync(top, { recursive: true, force: true, maxRetries: 3 });
  });
  const environment = machineOf(server, { home: top });
  const rhythm = { pushMs, lookMs: 0 };
  const store = gitRefStore({ remote: server.url, cwd: top, environment, rhythm });
  const kept = () =>
    Number(/"lines": (\d+)/.exec(server.git("show", `refs/until-green/${run}/state:state`))?.[1]);
  const pushes = () => server.seen.filter(({ kind }) => kind === "push").length;
  const elsewhere = machineOf(server, { home: top, temporary: mkdtempSync(join(top, "machine-")) });
  const other = gitRefStore({ remote: server.url, cwd: top, environment: elsewhere, rhythm });
  return { store, other, kept, pushes };
}

test.each([
  ["has come", 0, 3],
  ["has not come", 3_600_000, 1],
])("before an agent is asked, what waits goes to the host where its time %s", async (_, pushMs, lines) => {
  const { store, kept } = await open(pushMs);
  const release = await store.hold(run);
  await store.append(run, 0, ["claimed"]);
  await store.flush?.(run);
  await store.append(run, 1, ["an iteration"]);
  await store.append(run, 2, ["the next one begins"]);
  await store.settle?.(run);
  expect(kept()).toBe(lines);
  await release();
});

test("no agent is asked in a run that is known to have been written to by others meanwhile", async () => {
  const { store, other } = await open(3_600_000);
  const release = await store.hold(run);
  await store.append(run, 0, ["claimed"]);
  await store.flush?.(run);
  await other.append(run, 1, ["taken over"]);
  expect(await store.read(run)).toHaveLength(2);
  await expect(store.assertCurrent?.(run, 1)).rejects.toThrow("2 lines, not 1");
  await release();
});

test("a loop that never pauses pushes to the host no more often than allowed, even if asked to", async () => {
  const pushMs = 400;
  const { store, kept, pushes } = await open(pushMs);
  const startedAt = performance.now();
  const release = await store.hold(run);
  let lines = 0;
  while (pushes() < 6) {
    await store.append(run, lines++, ["an iteration"]);
    await store.settle?.(run);
    await wait(1);
  }
  expect(pushes()).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / pushMs);
  await release();
  expect(kept()).toBe(lines);
});
