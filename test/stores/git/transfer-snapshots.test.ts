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
