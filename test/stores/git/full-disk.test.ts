import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readPending } from "../../../src/stores/git/unpushed.ts";
import { reserveSpace } from "../../../src/stores/reserve-space.ts";
import { processOf, run, scriptedHost, stateRef } from "../../parts/scripted-host.ts";
import { type DiskFailure, formatDisks, simulatedRoot, startMachine } from "../../parts/simulator/disk.ts";

/** A process that holds a run, on a disk that fails as a test says. */
async function open() {
  let fails = (_path: string): DiskFailure["code"] | undefined => undefined;
  formatDisks({
    fail(path) {
      const code = fails(path);
      return code && { code, half: true };
    },
    sync: (ring) => ring(),
  });
  const dir = join(simulatedRoot, "one");
  startMachine(dir);
  const host = scriptedHost();
  const { store, record } = processOf({ host, dir });
  await store.hold(run);
  return {
    ...{ dir, host, store, record },
    /** The next writes to files with such names fail. */
    fail(code: DiskFailure["code"], names: RegExp, count: number) {
      let left = count;
      fails = (path) => (names.test(path) && left-- > 0 ? code : undefined);
    },
  };
}

test("an answer that finds the disk full takes the space that was reserved for it", async () => {
  const { dir, store, fail } = await open();
  await store.append(run, 0, ["a"]);
  reserveSpace(dir);
  fail("ENOSPC", /pending-none/, 1);
  await store.append(run, 1, ["b"]);
  expect(await store.read(run)).toEqual(["a", "b"]);
  fail("ENOSPC", /pending-none/, 1);
  await expect(store.append(run, 2, ["c"])).rejects.toThrow("no space is left for");
  expect(await store.read(run)).toEqual(["a", "b"]);
  // There is room again: nothing of what failed is in the way.
  await store.append(run, 2, ["d"]);
  await store.flush?.(run);
  expect(await store.read(run)).toEqual(["a", "b", "d"]);
});

test("a disk that fails in another way is an error, whatever is reserved", async () => {
  const { dir, store, fail } = await open();
  reserveSpace(dir);
  fail("EIO", /pending-none/, 1);
  await expect(store.append(run, 0, ["a"])).rejects.toThrow("the disk failed at");
});

test("what the host has is on record, although a full disk keeps this machine from noting it", async () => {
  const { dir, host, store, record, fail } = await open();
  writeFileSync(join(dir, "tip"), "c1 c1 refs/until-green \n");
  await store.append(run, 0, ["a"]);
  fail("ENOSPC", /\/tip/, 99);
  await store.flush?.(run);
  expect([record.lines, record.tip?.id]).toEqual([["a"], host.refs.get(stateRef)]);
});

test("lines that came during a push stay in the older file until they are in the next one", async () => {
  const { dir, host, store, fail } = await open();
  await store.append(run, 0, ["a"]);
  host.answers = [
    (updates) => {
      void store.append(run, 1, ["b"]);
      fail("ENOSPC", /pending-c/, 1);
      return host.carryOut(updates);
    },
  ];
  await expect(store.flush?.(run)).rejects.toThrow("no space is left for");
  expect(readPending(dir, run)).toEqual([{ base: undefined, lines: ["a", "b"] }]);
  await store.append(run, 2, ["c"]);
  await store.flush?.(run);
  expect(await store.read(run)).toEqual(["a", "b", "c"]);
  expect(readPending(dir, run)).toEqual([]);
});
