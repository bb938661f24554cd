import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { brokenLine } from "../../src/ports/store.ts";
import { directoryStore, goneLog } from "../../src/stores/directory.ts";

const run = "run-001";

function open() {
  const root = mkdtempSync(join(tmpdir(), "directory-run-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return { root, store: directoryStore(root) };
}

test("who drives a run is known to others, and what it left", async () => {
  const { root, store } = open();
  expect([await store.isHeld?.(run), store.hasTraces?.(run), store.whyGone?.(run)]).toEqual([
    false,
    false,
    undefined,
  ]);
  const release = await store.hold(run);
  expect([await store.isHeld?.(run), store.hasTraces?.(run)]).toEqual([true, true]);
  await expect(directoryStore(root).hold(run)).rejects.toThrow(
    new RegExp(`^run ${run} is driven by .*${process.pid}.*; .*${join(root, run, "owner")}`),
  );
  await store.append(run, 0, ["a"]);
  await release();
  expect(await store.isHeld?.(run)).toBe(false);
  writeFileSync(join(await store.artifacts(run), "note.txt"), "x");
  rmSync(join(root, run, "log.jsonl"));
  expect(store.whyGone?.(run)).toBe(goneLog(run, join(root, run, "log.jsonl")));
});

test("space for an answer is reserved until the run is released", async () => {
  const { root, store } = open();
  const release = await store.hold(run);
  await store.probe?.(run);
  expect(statSync(join(root, run, "reserve")).size).toBe(512 * 1024);
  await release();
  expect(existsSync(join(root, run, "reserve"))).toBe(false);
  await store.probe?.("run-002");
  expect(existsSync(join(root, "run-002/reserve"))).toBe(true);
});

test("only folders with lines are runs, and a store that is not there has none", async () => {
  const { root, store } = open();
  await store.append(run, 0, ["a"]);
  for (const name of ["run-002", "No-run", "run-003"]) mkdirSync(join(root, name));
  writeFileSync(join(root, "run-003/log.jsonl"), "");
  writeFileSync(join(root, "No-run/log.jsonl"), "x");
  expect(await store.list()).toEqual([run]);
  expect(await directoryStore(join(root, "none")).list()).toEqual([]);
  writeFileSync(join(root, "file"), "");
  await expect(directoryStore(join(root, "file")).list()).rejects.toThrow(join(root, "file"));
  await expect(store.append(run, 1, ["a\nb"])).rejects.toThrow(brokenLine);
  // A late writer makes no folder.
  await expect(store.append("run-004", 1, ["b"])).rejects.toThrow();
  expect(readdirSync(root)).not.toContain("run-004");
});

const end = (at: string) => JSON.stringify({ type: "run.ended", at });

test("runs that ended before a time are pruned, and the oldest of the others over the most", async () => {
  const { root, store } = open();
  const logs = {
    "run-001": ["{}", end("2026-01-01")],
    "run-002": ["{}", end("2026-01-03")],
    "run-003": [end("2026-01-01"), "{}"],
    "run-004": ["{}", end("2026-01-02")],
    "run-005": ["{}", "no JSON"],
    "run-006": ["{}", end("2026-01-04")],
  };
  for (const [id, lines] of Object.entries(logs)) {
    await store.append(id, 0, lines);
    const time = new Date(2026, 0, Number(id.slice(-1)));
    utimesSync(join(root, id, "log.jsonl"), time, time);
  }
  writeFileSync(join(root, "run-005/log.jsonl"), "damaged\n", { flag: "a" });
  const prune = (most: number) => store.prune?.({ endedBefore: "2026-01-02", most });
  expect(await prune(6)).toEqual(["run-001"]);
  expect(await prune(5)).toEqual([]);
  // The newest stay: of five runs, the four oldest are too many, and two of them have not ended.
  expect(await prune(1)).toEqual(["run-004", "run-002"]);
  expect(readdirSync(root).toSorted()).toEqual(["run-003", "run-005", "run-006"]);
});

test("a log that is damaged for a moment only is read again", async () => {
  const { root, store } = open();
  await store.append(run, 0, ["a"]);
  const path = join(root, run, "log.jsonl");
  const whole = readFileSync(path);
  writeFileSync(path, "damaged\n");
  setTimeout(() => writeFileSync(path, whole), 1);
  expect(await directoryStore(root).read(run)).toEqual(["a"]);
  writeFileSync(path, "damaged\n");
  await expect(directoryStore(root).read(run)).rejects.toMatchObject({ name: "BrokenLogError" });
});

test("a damaged log is repaired under its lock", async () => {
  const { root, store } = open();
  await store.append(run, 0, ["a"]);
  expect(await store.repair?.(run)).toBeUndefined();
  writeFileSync(join(root, run, "log.jsonl"), "damaged\n", { flag: "a" });
  expect(await directoryStore(root).repair?.(run)).toMatchObject({ lines: 1 });
  expect(existsSync(join(root, run, "log.lock"))).toBe(false);
  expect(await store.read(run)).toEqual(["a"]);
});
