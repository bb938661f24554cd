import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bareRepository } from "../../../src/git/bare-repository.ts";
import { writeCommit } from "../../../src/git/objects.ts";
import { openMachines } from "../../parts/git-machines.ts";

const { top, host, machine, at } = openMachines();
const run = "run-001";

/** A machine with a checkout, whose processes share what they leave. */
async function openMachine() {
  const server = await host();
  const environment = machine(server);
  const gitDir = bareRepository(mkdtempSync(join(top, "snapshots-")), "snapshots.git", "sha1");
  const snapshot = (message: string, parents: readonly string[] = []) =>
    writeCommit(gitDir, "sha1", { tree: { file: Buffer.from(message) }, parents, message });
  const checkout = { gitDir, objects: join(gitDir, "objects"), format: "sha1" } as const;
  const open = async () => {
    const store = at(server, { environment, checkout, snapshots: () => gitDir });
    await store.read(run);
    if (store.work === undefined) throw new Error("it transfers no snapshots");
    return { store, work: store.work };
  };
  return { server, open, snapshot };
}

test("a process killed between noting a snapshot and recording its line leaves the checkout as it is", async () => {
  const { open, snapshot } = await openMachine();
  const first = snapshot("first");
  const killed = await open();
  killed.work.keep(run, first);
  await killed.store.append(run, 0, [JSON.stringify({ commit: first })]);
  // What nodes beside each other made is recorded in one append, which did not come.
  for (const name of ["second", "third"]) killed.work.keep(run, snapshot(name, [first]));
  const next = await open();
  let restored = 0;
  await next.work.bring(run, first, async () => {
    restored += 1;
  });
  expect(restored).toBe(0);
});

test("a snapshot that never left this machine is restored from here", async () => {
  const { open, snapshot } = await openMachine();
  const { work } = await open();
  let fetched = 0;
  await work.bring(run, snapshot("never pushed"), async (fetch) => {
    await fetch();
    fetched += 1;
  });
  expect(fetched).toBe(1);
});

test("a snapshot that is neither here nor at the host is named, with the machine to resume on", async () => {
  const { open } = await openMachine();
  const { work } = await open();
  const missing = "0123456789012345678901234567890123456789";
  await expect(work.bring(run, missing, (fetch) => fetch())).rejects.toThrow(
    new RegExp(`without snapshot ${missing} .* resume it on the machine that ran it last`),
  );
});

test("the lines that a killed process could not push are pushed with the snapshots they name, whoever pushes them", async () => {
  const { server, open, snapshot } = await openMachine();
  const first = snapshot("first");
  const { store, work } = await open();
  await store.hold(run);
  await store.append(run, 0, [JSON.stringify({ type: "run.started" })]);
  await store.flush?.(run);
  work.keep(run, first);
  await store.append(run, 1, [JSON.stringify({ commit: first })]);
  // As a kill would leave it: the lock is a dead process's.
  rmSync(join(await store.artifacts(run), "..", "owner"));
  const next = await open();
  // Such as one that is asked to end before it has read the run.
  const release = await next.store.hold(run);
  await release();
  expect(server.git("rev-parse", `refs/until-green/${run}/work`)).toBe(first);
});

test("the workspace of each iteration goes to the host with its record; only commits are added to what is there", async () => {
  const { server, open, snapshot } = await openMachine();
  const { store, work } = await open();
  const release = await store.hold(run);
  const atHost = () => server.git("rev-parse", `refs/until-green/${run}/work`);
  const first = snapshot("first");
  const second = snapshot("second", [first]);
  for (const [lines, commit] of [first, second].entries()) {
    work.keep(run, commit);
    await store.append(run, lines, [JSON.stringify({ commit })]);
    await store.flush?.(run);
    expect(atHost()).toBe(commit);
  }
  // Another loop starts from the checkout again: what the first one made stays reachable.
  const other = snapshot("other");
  work.keep(run, other);
  await store.append(run, 2, [JSON.stringify({ commit: other })]);
  await release();
  expect(server.git("log", "-1", "--format=%P", atHost()).split(" ")).toEqual([other, second]);
  expect(server.git("rev-parse", `${atHost()}^{tree}`)).toBe(server.git("rev-parse", `${other}^{tree}`));
});

const line = (commit: string) => JSON.stringify({ commit });

test("another machine fetches a snapshot with those before it that the log names, and no more", async () => {
  const { server, open, snapshot } = await openMachine();
  const { store, work } = await open();
  const release = await store.hold(run);
  // The checkout's own commit, three snapshots on it, and one that the log does not name.
  const chain: string[] = [];
  for (const name of ["base", "one", "unnamed", "two", "three"]) chain.push(snapshot(name, chain.slice(-1)));
  const [, one = "", unnamed = "", two = "", three = ""] = chain;
  work.keep(run, three);
  await store.append(run, 0, [`[${line(one)},${line(two)}]`, line(three), line(three)]);
  await release();
  const other = join(mkdtempSync(join(top, "snapshots-")), "there.git");
  const there = at(server, { snapshots: () => bareRepository(join(other, ".."), "there.git", "sha1") });
  await there.read(run);
  await there.work?.bring(run, three, (fetch) => {
    bareRepository(join(other, ".."), "there.git", "sha1");
    return fetch();
  });
  const has = (id: string) => spawnSync("git", ["-C", other, "cat-file", "-e", id]).status === 0;
  expect(chain.map(has)).toEqual([false, false, true, true, true]);
  expect(unnamed).not.toBe(one);
  // It is the last snapshot of that machine now, until another one is.
  const adopted: string[] = [];
  for (const commit of [three, "f".repeat(40), three])
    await there.work?.bring(run, commit, async () => {
      adopted.push(commit);
    });
  expect(adopted).toEqual(["f".repeat(40), three]);
});

test("after loops beside each other, the snapshot of any of them is fetched from the merge above it", async () => {
  const { server, open, snapshot } = await openMachine();
  const { store, work } = await open();
  const release = await store.hold(run);
  const [first, other] = [snapshot("first"), snapshot("other")];
  for (const [lines, commit] of [first, other].entries()) {
    work.keep(run, commit);
    await store.append(run, lines, [line(commit)]);
    await store.flush?.(run);
  }
  await release();
  const dir = mkdtempSync(join(top, "snapshots-"));
  const gitDir = bareRepository(dir, "there.git", "sha1");
  const there = at(server, { snapshots: () => gitDir });
  await there.read(run);
  await there.work?.bring(run, first, (fetch) => fetch());
  for (const id of [first, other])
    expect(spawnSync("git", ["-C", gitDir, "cat-file", "-e", `${id}^{tree}`]).status).toBe(0);
});

test("the work of other runs is gathered without its history", async () => {
  const { server, open, snapshot } = await openMachine();
  const { store, work } = await open();
  const release = await store.hold(run);
  const first = snapshot("first");
  const second = snapshot("second", [first]);
  work.keep(run, second);
  await store.append(run, 0, [line(second)]);
  await release();
  const gitDir = bareRepository(mkdtempSync(join(top, "snapshots-")), "there.git", "sha1");
  await at(server, { snapshots: () => gitDir }).work?.gather("run-002", [second]);
  const has = (id: string) => spawnSync("git", ["-C", gitDir, "cat-file", "-e", id]).status === 0;
  expect([first, second].map(has)).toEqual([false, true]);
});

test("a machine without a checkout says what needs one", async () => {
  const server = await host();
  const store = at(server);
  await store.append(run, 0, ["{}"]);
  const bring = store.work?.bring(run, "1".repeat(40), (fetch) => fetch());
  await expect(bring).rejects.toThrow(/^run run-001 needs a checkout to resume, and there is none here$/);
  await expect(store.work?.gather(run, [])).rejects.toThrow(
    /^the work of run-001 needs a checkout, and there is none here$/,
  );
  expect(() => store.work?.keep("run-002", "1".repeat(40))).toThrow("run run-002 is not open");
});

test("the last hundred snapshots of a checkout are known as its own", async () => {
  const { open } = await openMachine();
  const { work } = await open();
  const id = (number: number) => String(number).padStart(40, "0");
  for (let number = 0; number < 102; number += 1) work.keep(run, id(number));
  // One that is kept again is the newest.
  work.keep(run, id(5));
  let adopted = 0;
  const adopt = async () => {
    adopted += 1;
  };
  for (const number of [5, 3, 101]) await work.bring(run, id(number), adopt);
  expect(adopted).toBe(0);
  await work.bring(run, id(1), adopt);
  expect(adopted).toBe(1);
});
