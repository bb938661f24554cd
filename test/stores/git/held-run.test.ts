import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RemoteError } from "../../../src/git/remote.ts";
import type { LogStore } from "../../../src/ports/store.ts";
import { pendingFile, readPending } from "../../../src/stores/git/unpushed.ts";
import {
  machineFolder,
  manualTimer,
  processOf,
  run,
  scriptedHost,
  stateRef,
} from "../../parts/scripted-host.ts";

const rhythm = { pushMs: 10_000, lookMs: 5_000 };

/** A host with a run, and the processes of one machine, one after the other. */
function open(...commits: readonly (readonly string[])[]) {
  const host = scriptedHost();
  const ids = commits.map((lines) => host.append(lines).id);
  const dir = machineFolder();
  const timer = manualTimer();
  const start = (more = rhythm) => processOf({ host, dir, timer }, more);
  /** Lines that an earlier process of this machine recorded after a commit. */
  const leave = (base: string | undefined, lines: readonly string[]) =>
    pendingFile(dir, run, base).append(0, lines);
  const waiting = () =>
    Object.fromEntries(readPending(dir, run).map(({ base = "none", lines }) => [base, lines]));
  const there = () => host.step(host.refs.get(stateRef) ?? "")?.lines;
  return { host, ids, dir, timer, start, leave, waiting, there };
}

/** During the next push, the run appends its second line. */
function appendDuringPush(host: ReturnType<typeof scriptedHost>, store: Pick<LogStore, "append">) {
  host.answers = [
    (updates) => {
      void store.append(run, 1, ["b"]);
      return host.carryOut(updates);
    },
  ];
}

test("lines are recorded here at once, and pushed together a moment later", async () => {
  const { host, start, timer, waiting, there } = open();
  const { store, record, marked } = start();
  await store.hold(run);
  await store.append(run, 0, ["a"]);
  expect(waiting()).toEqual({ none: ["a"] });
  expect(timer.waiting()).toEqual([500]);
  await store.append(run, 1, ["b"]);
  expect(timer.waiting()).toEqual([500]);
  await timer.pass(500);
  expect([there(), host.pushes.length, marked()]).toEqual([["a", "b"], 1, 1]);
  expect(waiting()).toEqual({});
  // The next push is due when the time between two has passed.
  await timer.pass(4_000);
  await store.append(run, 2, ["c"]);
  expect(timer.waiting()).toEqual([6_000]);
  expect(waiting()).toEqual({ [record.tip?.id ?? ""]: ["c"] });
  await timer.pass(6_000);
  expect(there()).toEqual(["c"]);
  await timer.pass(30_000);
  await store.append(run, 3, ["d"]);
  expect(timer.waiting()).toEqual([500]);
});

test("a run in which pushes follow each other quickly is pushed sooner than after half a second", async () => {
  const { start, timer } = open();
  const { store } = start({ pushMs: 200, lookMs: 0 });
  await store.hold(run);
  await store.append(run, 0, ["a"]);
  expect(timer.waiting()).toEqual([200]);
  await store.append(run, 1, []);
  expect(timer.waiting()).toEqual([200]);
});

test("a push that fails is tried again after a while, and keeps what it carried", async () => {
  const { host, start, timer, there, waiting } = open();
  const { store } = start();
  await store.hold(run);
  host.mostWaits = 0;
  host.answers = ["fatal: it hung up"];
  await store.append(run, 0, ["a"]);
  await timer.pass(500);
  expect([there(), waiting(), timer.waiting()]).toEqual([undefined, { none: ["a"] }, [10_000]]);
  await timer.pass(10_000);
  expect([there(), timer.waiting()]).toEqual([["a"], []]);
});

test("what is appended during a push goes with the next one", async () => {
  const { host, start, timer, there, waiting } = open();
  const { store } = start();
  await store.hold(run);
  await store.append(run, 0, ["a"]);
  appendDuringPush(host, store);
  await timer.pass(500);
  expect([there(), Object.values(waiting())]).toEqual([["a"], [["b"]]]);
  expect(timer.waiting()).toEqual([10_000]);
  await timer.pass(10_000);
  expect([there(), host.pushes.length, waiting(), timer.waiting()]).toEqual([["b"], 2, {}, []]);
  expect(await store.read(run)).toEqual(["a", "b"]);
});

test("a flush pushes all that waits, also what comes meanwhile, and cancels the push that was due", async () => {
  const { host, start, timer, there } = open();
  const { store } = start();
  await store.hold(run);
  await store.append(run, 0, ["a"]);
  appendDuringPush(host, store);
  await store.flush?.(run);
  expect([there(), host.pushes.length]).toEqual([["b"], 2]);
  await store.flush?.(run);
  expect(host.pushes).toHaveLength(2);
  expect(await store.read(run)).toEqual(["a", "b"]);
  await timer.pass(60_000);
  expect(host.pushes).toHaveLength(2);
});

test("the host is asked for lines of others only when it is time, and without it the run continues", async () => {
  const { host, start, timer } = open(["a"]);
  const { store } = start();
  const release = await store.hold(run);
  expect(await store.read(run)).toEqual(["a"]);
  host.append(["b"]);
  await timer.pass(4_999);
  expect(await store.read(run)).toEqual(["a"]);
  await timer.pass(1);
  expect(await store.read(run, 1)).toEqual(["b"]);
  let asked = 0;
  host.listing = () => {
    asked += 1;
    throw new RemoteError("away");
  };
  await timer.pass(5_000);
  expect(await store.read(run)).toEqual(["a", "b"]);
  // Nor is it asked again at once.
  await store.read(run);
  expect(asked).toBe(1);
  host.listing = () => {
    throw new Error("damaged");
  };
  await timer.pass(5_000);
  await expect(store.read(run)).rejects.toThrow("damaged");
  await release();
});

test("before a call, what waits is pushed if it is time, and nobody waits for a slow host", async () => {
  const { host, start, timer, there } = open();
  const { store } = start();
  await store.hold(run);
  await store.settle?.(run);
  await store.append(run, 0, ["a"]);
  await store.settle?.(run);
  expect([there(), timer.waiting()]).toEqual([["a"], [5_000]]);
  await store.append(run, 1, ["b"]);
  await store.settle?.(run);
  expect(there()).toEqual(["a"]);
  await timer.pass(10_000);
  expect(there()).toEqual(["b"]);
  await store.append(run, 2, ["c"]);
  await timer.pass(9_999);
  host.mostWaits = 0;
  await store.settle?.(run);
  expect(there()).toEqual(["b"]);
  host.answers = ["fatal: it hung up"];
  // Due, and failing: it is tried again later, and the caller does not hear of it.
  await timer.pass(1);
  expect(there()).toEqual(["b"]);
  host.answers = ["fatal: it hung up"];
  await timer.pass(9_999);
  await timer.pass(1);
  await store.settle?.(run);
  expect(await store.read(run)).toEqual(["a", "b", "c"]);
});

test("a host that hangs delays a call by five seconds at most", async () => {
  const { host, start, timer, there } = open();
  const { store } = start();
  await store.hold(run);
  await store.append(run, 0, ["a"]);
  let answer = () => {};
  host.host.deepen = () =>
    new Promise((done) => {
      answer = () => done(true);
    });
  host.answers = ["shallow update not allowed"];
  let isOver = false;
  const settled = store.settle?.(run).then(() => {
    isOver = true;
  });
  await timer.pass(0);
  await timer.pass(4_999);
  expect(isOver).toBe(false);
  await timer.pass(1);
  await settled;
  expect([there(), timer.waiting()]).toEqual([undefined, [10_000]]);
  answer();
  await timer.pass(0);
  expect(there()).toEqual(["a"]);
});

test("another writer that came first is reported once, with what was not recorded", async () => {
  const { host, start, timer } = open(["a"]);
  const { store } = start();
  await store.hold(run);
  await store.append(run, 1, ["b"]);
  host.append(["theirs"]);
  await timer.pass(500);
  const stale = { name: "StaleLogError", message: `run ${run} was written to by another: read again` };
  await expect(store.append(run, 2, ["c"])).rejects.toMatchObject({ ...stale, undone: ["b"] });
  expect(await store.read(run)).toEqual(["a", "theirs"]);
  await expect(store.append(run, 1, ["c"])).rejects.toMatchObject({
    message: `run ${run} has 2 lines, not 1: read again`,
    undone: [],
  });
  await store.append(run, 2, ["c"]);
  await store.assertCurrent?.(run, 3);
  await expect(store.assertCurrent?.(run, 2)).rejects.toThrow("has 3 lines, not 2");
  host.append(["theirs too"]);
  await timer.pass(10_000);
  await expect(store.assertCurrent?.(run, 3)).rejects.toMatchObject({ ...stale, undone: ["c"] });
  await store.assertCurrent?.(run, 3);
  await store.append(run, 3, ["d"]);
  host.append(["theirs again"]);
  await expect(store.flush?.(run)).rejects.toMatchObject({ ...stale, undone: ["d"] });
});

test("a release pushes what is left, and no timer rings after it", async () => {
  const { host, start, timer, there, waiting } = open();
  const { store, run: process } = start();
  const release = await store.hold(run);
  await store.append(run, 0, ["a"]);
  await release();
  expect([there(), timer.waiting(), waiting(), process.held]).toEqual([["a"], [], {}, undefined]);
  await release();
  const again = await store.hold(run);
  host.mostWaits = 0;
  host.answers = ["fatal: it hung up", "fatal: it hung up"];
  await store.append(run, 1, ["b"]);
  // A release does not fail: the rest waits here for the next holder.
  await again();
  expect([there(), Object.values(waiting()), host.answers.length]).toEqual([["a"], [["b"]], 1]);
});

test("a release does not try again what a flush has just given up", async () => {
  const { host, start } = open();
  const { store } = start();
  const release = await store.hold(run);
  await store.append(run, 0, ["a"]);
  host.mostWaits = 0;
  host.answers = ["fatal: it hung up"];
  await expect(store.flush?.(run)).rejects.toThrow("patience ran out");
  await release();
  expect(host.pushes).toHaveLength(1);
});

test.each<
  [string, (at: ReturnType<typeof open>) => void, { read?: string[]; undone?: string[]; left?: object }]
>([
  ["nothing", () => undefined, { read: ["a", "b"], left: {} }],
  [
    "lines after the last commit",
    ({ leave, ids }) => leave(ids[1], ["c", "d"]),
    { read: ["a", "b", "c", "d"], left: { tip: ["c", "d"] } },
  ],
  [
    "lines of which the first ones were pushed",
    ({ leave, ids }) => leave(ids[0], ["b", "c"]),
    { read: ["a", "b", "c"], left: { tip: ["c"] } },
  ],
  [
    "lines from before the first push, which all arrived",
    ({ leave }) => leave(undefined, ["a", "b"]),
    { read: ["a", "b"], left: {} },
  ],
  [
    "lines before and after a push, as a kill between both leaves them",
    ({ leave, ids }) => {
      leave(ids[0], ["b", "c", "d"]);
      leave(ids[1], ["c"]);
    },
    { read: ["a", "b", "c", "d"], left: { tip: ["c", "d"] } },
  ],
  [
    "lines that another writer overtook",
    ({ leave, ids }) => leave(ids[0], ["x", "y"]),
    { undone: ["x", "y"] },
  ],
  [
    "lines that another writer overtook, in two files",
    ({ leave, ids }) => {
      leave(undefined, ["a", "x", "y"]);
      leave(ids[0], ["x", "y"]);
    },
    { undone: ["x", "y"] },
  ],
  [
    "lines after a commit that the host does not have",
    ({ leave }) => leave("e".repeat(40), ["c"]),
    { read: ["a", "b"] },
  ],
])("the next process takes over what an earlier one left: %s", async (_, make, { read, undone, left }) => {
  const at = open(["a"], ["b"]);
  make(at);
  const { store, record } = at.start();
  await store.hold(run);
  if (undone !== undefined) {
    // They belong to the first append: nothing has relied on them before.
    expect(await store.read(run)).toEqual(["a", "b"]);
    await expect(store.append(run, 2, ["mine"])).rejects.toMatchObject({ undone });
    await store.append(run, 2, ["mine"]);
    expect(await store.read(run)).toEqual(["a", "b", "mine"]);
    return;
  }
  expect(await store.read(run)).toEqual(read);
  const tip = record.tip?.id ?? "";
  const file = at.waiting()[tip];
  if (left !== undefined) expect(file === undefined ? {} : { tip: file }).toEqual(left);
  if (read?.length !== 2) {
    await store.flush?.(run);
    expect(record.lines).toEqual(read);
    expect(at.waiting()).toEqual({});
  }
});

test("overtaken lines stay in their file until they were reported to the run", async () => {
  const { host, start, timer, waiting, ids } = open(["a"]);
  const { store } = start();
  await store.hold(run);
  await store.append(run, 1, ["b"]);
  host.append(["theirs"]);
  await timer.pass(500);
  expect(waiting()).toEqual({ [ids[0] ?? ""]: ["b"] });
  await expect(store.append(run, 2, [])).rejects.toMatchObject({ undone: ["b"] });
  await store.append(run, 2, ["b"]);
  await store.flush?.(run);
  expect(waiting()).toEqual({});
});

test("a record of this machine that is damaged or cut while the run goes on is written again", async () => {
  const { dir, start, waiting } = open();
  const { store } = start();
  await store.hold(run);
  await store.append(run, 0, ["a", "b"]);
  const file = join(dir, "pending-none.jsonl");
  writeFileSync(file, "damaged\n");
  await store.append(run, 2, ["c"]);
  expect(waiting()).toEqual({ none: ["a", "b", "c"] });
  rmSync(file);
  await store.append(run, 3, ["d"]);
  expect(waiting()).toEqual({ none: ["a", "b", "c", "d"] });
  expect(readdirSync(dir).filter((name) => name.includes("anew"))).toEqual([]);
  expect(existsSync(file)).toBe(true);
});

test("a record of this machine that another process wrote anew is not taken for ours", async () => {
  const { dir, start } = open();
  const { store } = start();
  await store.hold(run);
  await store.append(run, 0, ["a"]);
  rmSync(join(dir, "pending-none.jsonl"));
  pendingFile(dir, run, undefined).append(0, ["x", "y"]);
  await expect(store.append(run, 1, ["b"])).rejects.toThrow("has 2 lines, not 1");
  expect(await store.read(run)).toEqual(["a"]);
});

test("each process that takes over a run raises its epoch, and names the last workspace until there is a new one", async () => {
  const { host, start } = open();
  const [first, next] = ["e".repeat(40), "f".repeat(40)];
  host.append(["a"], { epoch: 4, work: first });
  const { store, run: process } = start();
  const step = () => host.step(host.refs.get(stateRef) ?? "");
  const release = await store.hold(run);
  await store.append(run, 1, ["b"]);
  await store.flush?.(run);
  expect(step()).toMatchObject({ epoch: 5, work: first, lines: ["b"] });
  process.held?.keep(next);
  await store.append(run, 2, ["c"]);
  await release();
  expect(step()).toMatchObject({ epoch: 5, work: next, lines: ["c"] });
  await (await store.hold(run))();
  await store.hold(run);
  await store.append(run, 3, ["d"]);
  await store.flush?.(run);
  expect(step()).toMatchObject({ epoch: 6, work: next });
});
