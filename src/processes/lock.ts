import {
  linkSync,
  lstatSync,
  lutimesSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hasEnded, namespaceOfUs, startOfUs } from "./process-name.ts";
import { randomName } from "./random-name.ts";

export type Release = () => void;

/** The holder of a lock, as recorded in it. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
}

/**
 * How a holder on another machine or in another container shows that it is alive, because its process is not visible
 * here. In milliseconds. A holder that is blocked for longer than the lease loses the lock.
 */
export interface Lease {
  readonly renewMs: number;
  /** How long a waiter must see no renewal before it takes over, measured by its own monotonic clock. */
  readonly lapsesMs: number;
}

const usualLease: Lease = { renewMs: 10_000, lapsesMs: 25_000 };

/** Takes a lock between processes; waits while a living process holds it, and takes it over from a dead one. */
export async function lock(path: string, waitMs = 30_000, lease = usualLease): Promise<Release> {
  const end = performance.now() + waitMs;
  const watch = watchLease(path, lease);
  for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
    const ownRecord = ourLock();
    const content = take(path, ownRecord);
    if (content === undefined) return () => removeIf(path, ownRecord);
    if (isDead(content) || watch.lapsed(content)) await takeAway(path, content);
    else if (performance.now() > end)
      throw new Error(`${heldBy(holder(content))} has held ${path} for a long time; ${remedy(path)}`);
    else await wait(pause * (0.5 + Math.random()));
  }
}

/**
 * Like `lock`, but does not wait for a living process: returns the holder instead. Renews the lock until it is
 * released. Watches a remote holder until it renews its lease or the lease expires.
 */
export async function tryLock(
  path: string,
  lease = usualLease,
): Promise<{ readonly release: Release } | LockHolder> {
  const watch = watchLease(path, lease);
  for (;;) {
    const ownRecord = ourLock();
    const content = take(path, ownRecord, madeAsFile);
    if (content === undefined) {
      removeDrafts(path);
      return { release: renew(path, ownRecord, lease) };
    }
    if (isDead(content) || watch.lapsed(content)) await takeAway(path, content);
    else if (isOurs(content) || watch.renewed()) return holder(content);
    else await wait(Math.min(lease.renewMs / 10, 500));
  }
}

/** Creates the lock; returns its content if another process holds it. */
function take(path: string, ownRecord: string, make = made): string | undefined {
  for (;;) {
    if (make(path, ownRecord)) return undefined;
    const content = contentOf(path);
    if (content !== undefined) return content;
  }
}

function renew(path: string, ownRecord: string, { renewMs }: Lease): Release {
  const timer = setInterval(() => {
    const now = new Date();
    try {
      // If it is gone or was taken over, the next append reports it.
      if (contentOf(path) === ownRecord) lutimesSync(path, now, now);
      else clearInterval(timer);
    } catch {
      // A disk that fails or is read-only now: the next append reports that too.
    }
  }, renewMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    try {
      removeIf(path, ownRecord);
    } catch {
      // A lock that stays is recognized as that of a dead process.
    }
  };
}

/** Processes elsewhere that renew nothing any more, with the time at which they last renewed a lock. */
const lapsedHolders = new Map<string, number>();

/** All of its locks are renewed by the same process, so that the others need not be watched as long again. */
const processOf = (content: string) => content.slice(0, content.lastIndexOf(" "));

function watchLease(path: string, { lapsesMs, renewMs }: Lease) {
  let seen: string | undefined;
  let since = 0;
  let isRenewed = false;
  return {
    /** True if the remote holder has not renewed its lease for the lease's full duration. */
    lapsed(content: string): boolean {
      if (isOurs(content)) return false;
      const renewedAt = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
      const lastSign = lapsedHolders.get(processOf(content));
      if (lastSign !== undefined && Math.abs((renewedAt ?? 0) - lastSign) <= renewMs) return true;
      const now = `${content} ${renewedAt}`;
      if (now !== seen) {
        isRenewed = seen !== undefined;
        [seen, since] = [now, performance.now()];
      }
      const hasLapsed = performance.now() - since >= lapsesMs;
      if (hasLapsed && renewedAt !== undefined) lapsedHolders.set(processOf(content), renewedAt);
      return hasLapsed;
    },
    /** True if it has renewed the lease since it was first seen. */
    renewed: () => isRenewed,
  };
}

/** True if a running process holds the lock, as far as one look can show. */
export function isLocked(path: string): boolean {
  const content = contentOf(path);
  if (content === undefined || isDead(content)) return false;
  const renewedAt = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return isOurs(content) || Math.abs(Date.now() - renewedAt) < usualLease.lapsesMs;
}

export const heldBy = ({ pid, host }: LockHolder) =>
  pid === 0 ? "an unknown process (until-green did not write its lock)" : `process ${pid} on ${host}`;
export const remedy = (path: string) => `if it is no longer there, delete ${path}`;

/** Holds a second lock: otherwise two processes that found the same dead holder could remove each other's new lock. */
async function takeAway(path: string, dead: string): Promise<void> {
  const release = await lock(`${path}~`);
  try {
    removeIf(path, dead);
  } finally {
    release();
  }
}

function removeIf(path: string, content: string): void {
  if (contentOf(path) === content) unlinkSync(path);
}

/** Creating a symbolic link is atomic, and its target is the content: a lock is never half-written. */
function made(path: string, content: string): boolean {
  try {
    symlinkSync(content, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * The same as a file, for locks that are held while checks run: the test runner of Node 20 searches `.git` too, and
 * fails at a dangling link.
 */
function madeAsFile(path: string, content: string): boolean {
  const whole = `${path}.${content.slice(-8)}`;
  try {
    writeFileSync(whole, content, { flag: "wx" });
    linkSync(whole, path);
    return true;
  } catch (error) {
    // The disk is full, or the file system has no hard links.
    return codeOf(error) === "EEXIST" ? false : made(path, content);
  } finally {
    rmSync(whole, { force: true });
  }
}

/** Removes drafts that killed processes left. A living process whose draft is removed creates a link instead. */
function removeDrafts(path: string): void {
  const start = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(start) && /^[0-9a-f]{8}$/.test(name.slice(start.length)))
      rmSync(join(dirname(path), name), { force: true });
}

function contentOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "EINVAL") return contentOfFile(path);
    throw error;
  }
}

function contentOfFile(path: string): string | undefined {
  try {
    const content = readFileSync(path, "utf8");
    return content.split(" ").length === 5 || lost.test(content) ? content : foreign;
  } catch (error) {
    return codeOf(error) === "ENOENT" ? undefined : foreign;
  }
}

function holder(content: string): LockHolder {
  const [pid, , host] = content.split(" ");
  return { pid: Number(pid), host: host ?? "?" };
}

/** A lock is created atomically but not synced: after a power cut it may be empty, or filled with zeros. */
const lost = /^\0*$/;

/** The content of a lock that we did not create: its owner is unknown, so it stays. */
const foreign = "0 ? ? ?";

/** True if its holder would run on this machine and in this container. */
function isOurs(content: string): boolean {
  const [, , host, processes] = content.split(" ");
  return content === foreign || (host === hostname() && processes === namespaceOfUs());
}

function isDead(content: string): boolean {
  const [pid = "", start = ""] = content.split(" ");
  return lost.test(content) || (isOurs(content) && hasEnded(pid, start));
}

/**
 * Short: ext4 keeps the target of a link in its inode up to 59 bytes. For a longer one it takes a block, and to remove
 * the link then took ten times as long.
 */
const ourLock = () =>
  `${process.pid} ${startOfUs()} ${hostname()} ${namespaceOfUs()} ${randomName().slice(-8)}`;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
