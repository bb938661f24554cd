import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { brokenLine } from "../../src/ports/store.ts";
import { localHost } from "../parts/local-host.ts";

const run = "run-001";
const ref = `refs/until-green/${run}/state`;

test("a run is described, found and marked by its record, once it was read", async () => {
  const host = localHost();
  const store = host.open();
  expect([store.where?.(run), store.mark?.(run), store.whyGone?.(run)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(store.hasMark?.(run, "x")).toBe(false);
  expect(() => store.describe?.(run, 1)).toThrow("run run-001 is not open");
  await store.read(run);
  expect([store.where?.(run), await store.status?.(run)]).toEqual([undefined, undefined]);
  store.describe?.(run, { a: 1 });
  await store.append(run, 0, ["a"]);
  expect(store.where?.(run)).toBe(ref);
  expect(await store.status?.(run)).toEqual({ a: 1 });
  // Unsigned records have no mark.
  expect(store.mark?.(run)).toBeUndefined();
  expect(store.hasMark?.(run, host.git("rev-parse", ref))).toBe(true);
  host.git("update-ref", "-d", ref);
  const { whyGone } = host.open();
  expect(whyGone?.(run)).toBeUndefined();
});

test("a signed run has its last commit as a mark, which later records contain", async () => {
  const host = localHost();
  const store = host.open({ stateKey: "key" });
  await store.append(run, 0, ["a"]);
  const mark = store.mark?.(run) ?? "";
  expect(mark).toBe(host.git("rev-parse", ref));
  await store.append(run, 1, ["b"]);
  const later = host.open({ stateKey: "key" });
  await later.read(run);
  expect([later.hasMark?.(run, mark), later.hasMark?.(run, "1".repeat(40))]).toEqual([true, false]);
});

test("the status of a held run is that of its last append here, and afterwards that of its record", async () => {
  const host = localHost();
  const store = host.open();
  const release = await store.hold(run);
  store.describe?.(run, { a: 1 });
  expect(await store.status?.(run)).toBeUndefined();
  await store.append(run, 0, ["a"]);
  expect(await store.status?.(run)).toEqual({ a: 1 });
  await store.append(run, 1, ["b"]);
  await release();
  expect(await store.status?.(run)).toEqual({ a: 1 });
  expect(await host.open().status?.(run)).toEqual({ a: 1 });
  expect(await host.open().survey?.()).toEqual([{ a: 1 }]);
});

test("a run is held by one process of a machine, and its lock is free after an error", async () => {
  const host = localHost();
  const environment = host.environment();
  const [one, two] = [host.open({ environment }), host.open({ environment })];
  const release = await one.hold(run);
  await expect(two.hold(run)).rejects.toThrow(/^run run-001 is driven by .*owner/);
  await release();
  await one.append(run, 0, ["a"]);
  const tip = host.git("rev-parse", ref);
  host.git("update-ref", ref, host.git("hash-object", "-w", "-t", "tree", "/dev/null"));
  await expect(host.open({ environment }).hold(run)).rejects.toThrow("damaged");
  host.git("update-ref", ref, tip);
  await (await host.open({ environment }).hold(run))();
});

test("space for an answer is reserved while a run is held", async () => {
  const host = localHost();
  const environment = host.environment();
  const store = host.open({ environment });
  const reserves = () =>
    readdirSync(environment.RUNNER_TEMP, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(`${run}/reserve`),
    );
  const release = await store.hold(run);
  await store.probe?.(run);
  expect(reserves()).toHaveLength(1);
  await release();
  expect(reserves()).toEqual([]);
});

test("what this machine has not pushed is known without the host, and shown with it", async () => {
  const host = localHost();
  const environment = host.environment();
  const killed = host.open({ environment });
  const release = await killed.hold(run);
  await killed.append(run, 0, ["a"]);
  const store = host.open({ environment });
  expect([await store.hasUnpushed?.(run), await store.hasUnpushed?.("run-002")]).toEqual([true, false]);
  expect([await store.preview?.(run), await store.read(run)]).toEqual([["a"], []]);
  expect(await store.list()).toEqual([run]);
  await release();
  expect([await store.hasUnpushed?.(run), await store.read(run)]).toEqual([false, ["a"]]);
});

test("who does not hold a run appends to what the host has, with what its folder had", async () => {
  const host = localHost();
  const holder = host.open();
  const release = await holder.hold(run);
  writeFileSync(join(await holder.artifacts(run), "note.txt"), "note");
  await holder.append(run, 0, ["a"]);
  await release();
  const state = () => JSON.parse(host.git("show", `${ref}:state`));
  const before = state();
  const other = host.open();
  await other.append(run, 1, ["b"]);
  expect(state()).toMatchObject({ epoch: before.epoch, artifacts: before.artifacts, lines: 2 });
  await expect(other.append(run, 1, ["c"])).rejects.toThrow("run run-001 has 2 lines, not 1: read again");
  await expect(other.append(run, 3, ["c"])).rejects.toThrow("run run-001 has 2 lines, not 3: read again");
  await host.open().append(run, 2, ["c"]);
  // It knows two lines, and the host has three.
  await expect(other.append(run, 2, ["d"])).rejects.toMatchObject({ name: "StaleLogError" });
  await other.append(run, 3, ["d"]);
  expect(await host.open().read(run)).toEqual(["a", "b", "c", "d"]);
});

test("a process that holds a run does not ask the host again for what it just answered", async () => {
  const host = localHost();
  await host.open().append(run, 0, ["a"]);
  const store = host.open({ rhythm: { pushMs: 60_000, lookMs: 60_000 } });
  expect(await store.read(run)).toEqual(["a"]);
  await host.open().append(run, 1, ["b"]);
  const release = await store.hold(run);
  expect(await store.read(run)).toEqual(["a"]);
  // The claim shows who came first.
  await store.append(run, 1, ["claimed"]);
  await expect(store.flush?.(run)).rejects.toMatchObject({ undone: ["claimed"] });
  await release();
});

test("a checkout of another object format keeps its runs in it", async () => {
  const host = localHost("sha256");
  const checkout = { gitDir: host.path, objects: join(host.path, "objects"), format: "sha256" } as const;
  const store = host.open({ checkout });
  await store.append(run, 0, ["a"]);
  expect(await host.open({ checkout }).read(run)).toEqual(["a"]);
  expect(await store.list()).toEqual([run]);
  const claims = await store.claims?.read("wide-77-1");
  if (claims === undefined) throw new Error("it has no claims");
  expect(await store.claims?.write("wide-77-1", claims, [1])).toBe(true);
  expect((await store.claims?.read("wide-77-1"))?.version).toMatch(/^[0-9a-f]{64}$/);
});

test.each(["short", "../../etc", "run-001/x"])(
  "%j is no run id, and no store is asked about it",
  async (id) => {
    const store = localHost().open({ remote: "none" });
    for (const use of [store.read(id), store.append(id, 0, ["{}"]), store.hold(id), store.artifacts(id)])
      await expect(use).rejects.toThrow("is not a run id");
  },
);

test("a line with a line break is refused, also by who holds the run", async () => {
  const host = localHost();
  const store = host.open();
  await expect(store.append(run, 0, ["a", "b\nc"])).rejects.toThrow(brokenLine);
  const release = await store.hold(run);
  await expect(store.append(run, 0, ["b\nc"])).rejects.toThrow(brokenLine);
  await release();
  expect(host.refs()).toEqual([]);
});

test("an append of nothing records nothing, and is refused if it comes late", async () => {
  const host = localHost();
  const store = host.open();
  await store.append(run, 0, []);
  await expect(store.append(run, 1, [])).rejects.toMatchObject({ name: "StaleLogError" });
  expect(host.refs()).toEqual([]);
});

test("what is read about all runs is kept apart from each run, and a short history from a whole one", async () => {
  const host = localHost();
  const first = host.write(run, { status: 1 });
  host.write(run, { status: 2, before: first });
  const environment = host.environment();
  const store = host.open({ environment });
  expect(await store.list()).toEqual([run]);
  expect(await store.readMany?.([run])).toEqual(new Map([[run, { status: 2 }]]));
  expect((await store.claims?.read(run))?.jobs).toEqual(new Map());
  expect(await store.read(run)).toEqual(["{}", "{}"]);
  const [root = ""] = readdirSync(environment.RUNNER_TEMP);
  const [folder = ""] = readdirSync(join(environment.RUNNER_TEMP, root));
  expect(readdirSync(join(environment.RUNNER_TEMP, root, folder)).toSorted()).toEqual([
    ...["claims.git", "list.git", "many.git", run],
  ]);
});
