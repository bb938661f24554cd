import {
  lstatSync,
  lutimesSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { heldBy, isLocked, lock, tryLock } from "../../src/processes/lock.ts";
import { namespaceOfUs } from "../../src/processes/process-name.ts";

const top = mkdtempSync(join(tmpdir(), "lock-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const lease = { renewMs: 40, lapsesMs: 400 };
const fresh = () => join(mkdtempSync(join(top, "folder-")), "owner");

/** A lock as a process made it that nobody can look at from here. */
function lockOf(path: string, host: string, processes = "1"): string {
  symlinkSync(`1 0000:1 ${host} ${processes} 0123456789ab`, path);
  return path;
}

test("a lock that is held while checks run is no link that leads nowhere", async () => {
  const path = fresh();
  const taken = await tryLock(path, lease);
  expect(statSync(path).isFile()).toBe(true);
  expect(readdirSync(dirname(path))).toEqual(["owner"]);
  expect(await tryLock(path, lease)).toEqual({ pid: process.pid, host: hostname() });
  if ("release" in taken) taken.release();
  expect(readdirSync(dirname(path))).toEqual([]);
});

test("a lock says in 19 bytes what it says besides its process and host, so that most fit into an inode", async () => {
  const path = fresh();
  const release = await lock(path);
  const [pid, , host, ...more] = readlinkSync(path).split(" ");
  release();
  expect([pid, host, more.length]).toEqual([`${process.pid}`, hostname(), 2]);
  expect(more.join(" ").length).toBeLessThanOrEqual(19);
});

test("a lock of an ended process is taken over at once", async () => {
  const path = fresh();
  symlinkSync(`1 0000:1 ${hostname()} ${namespaceOfUs()} 01234567`, path);
  expect(isLocked(path)).toBe(false);
  const release = await lock(path, 0, { renewMs: 60_000, lapsesMs: 60_000 });
  expect(readlinkSync(path)).not.toContain(" 01234567");
  release();
});

test.each([
  ["empty", ""],
  ["full of zeros", "\0".repeat(60)],
])("a lock that a power cut left %s belongs to nobody", async (_, content) => {
  const path = fresh();
  writeFileSync(path, content);
  expect(isLocked(path)).toBe(false);
  const taken = await tryLock(path, lease);
  expect(taken).toHaveProperty("release");
  if ("release" in taken) taken.release();
});

test("what a process left that was killed while it took the lock is removed by the next holder, and nothing else", async () => {
  const path = fresh();
  for (const name of ["owner.01234567", "owner.md", "other.01234567"])
    writeFileSync(join(dirname(path), name), "");
  const taken = await tryLock(path, lease);
  expect(readdirSync(dirname(path)).toSorted()).toEqual(["other.01234567", "owner", "owner.md"]);
  if ("release" in taken) taken.release();
});

/** Shows that its holder lives until stopped. */
function renewing(path: string): () => void {
  let second = 0;
  const timer = setInterval(() => {
    second += 1;
    lutimesSync(path, second, second);
  }, lease.renewMs);
  return () => clearInterval(timer);
}

describe.each([
  ["another machine", "pod-1", "1"],
  // Outside containers, Linux numbers the process namespace alike on every machine.
  ["another machine with processes of the same name", "pod-1", namespaceOfUs()],
  ["another container of the same name", hostname(), "1"],
])("a lock held on %s", (_, host, processes) => {
  test("is taken over by exactly one when its lease has lapsed", async () => {
    const path = lockOf(fresh(), host, processes);
    const heirs = await Promise.all([1, 2, 3, 4].map(() => tryLock(path, lease)));
    expect(heirs.filter((heir) => "release" in heir)).toHaveLength(1);
    expect(heirs.filter((heir) => !("release" in heir))).toHaveLength(3);
  });
  test("stays with a holder that renews it, and names it", async () => {
    const path = lockOf(fresh(), host, processes);
    const before = readlinkSync(path);
    const stop = renewing(path);
    expect(await tryLock(path, lease)).toEqual({ pid: 1, host });
    await expect(lock(path, 3 * lease.lapsesMs, lease)).rejects.toThrow(
      `process 1 on ${host} has held ${path} for a long time; if it is no longer there, delete ${path}`,
    );
    stop();
    expect(readlinkSync(path)).toBe(before);
    const release = await lock(path, 10 * lease.lapsesMs, lease);
    expect(readlinkSync(path)).not.toBe(before);
    release();
  });
  test("counts as held while its lease is young, and not for ever", () => {
    const path = lockOf(fresh(), host, processes);
    expect(isLocked(path)).toBe(true);
    lutimesSync(path, 1, 1);
    expect(isLocked(path)).toBe(false);
  });
});

describe("a lock of our own", () => {
  test("is renewed until it is released", async () => {
    const path = fresh();
    const taken = await tryLock(path, lease);
    if (!("release" in taken)) throw new Error("nobody else has it");
    lutimesSync(path, 1, 1);
    expect(isLocked(path)).toBe(true);
    await wait(3 * lease.renewMs);
    await expect.poll(() => isYoung(path)).toBe(true);
    taken.release();
    expect(isLocked(path)).toBe(false);
  });
  test("that was taken over is neither renewed nor removed", async () => {
    const path = fresh();
    const taken = await tryLock(path, lease);
    rmSync(path);
    lockOf(path, "pod-2");
    lutimesSync(path, 1, 1);
    await wait(3 * lease.renewMs);
    expect(isLocked(path)).toBe(false);
    if ("release" in taken) taken.release();
    expect(readlinkSync(path)).toContain("pod-2");
  });
  test("whose disk fails while it is held ends nothing", async () => {
    const path = fresh();
    const taken = await tryLock(path, lease);
    // As a disk that answers no question about the lock: a file in the place of its folder.
    rmSync(dirname(path), { recursive: true });
    writeFileSync(dirname(path), "");
    await wait(3 * lease.renewMs);
    expect("release" in taken && taken.release()).toBeUndefined();
  });
  test("keeps a second one of this process out at once", async () => {
    const path = fresh();
    await tryLock(path, lease);
    expect(await tryLock(path, lease)).toEqual({ pid: process.pid, host: hostname() });
  });
});

const isYoung = (path: string) => lstatSync(path).mtimeMs > 1_000_000;

test("a lock that until-green did not write stays, and its holder is called unknown", async () => {
  const path = fresh();
  writeFileSync(path, "mine");
  const taken = await tryLock(path, lease);
  expect("release" in taken ? undefined : heldBy(taken)).toMatch(/^an unknown process \(until-green did not/);
});
