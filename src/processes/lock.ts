import { randomBytes } from "node:crypto";
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

export type Release = () => void;

/** Who holds a lock, as far as its content says. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
}

/**
 * How a holder on another machine or in another container shows that it is alive: its process cannot be seen. Both in
 * milliseconds. A holder that is blocked longer than the lease loses the lock.
 */
export interface Lease {
  readonly renewMs: number;
  /** How long a waiter must see no renewal before it takes over, by its own monotonic clock. */
  readonly lapsesMs: number;
}

const usualLease: Lease = { renewMs: 10_000, lapsesMs: 25_000 };

/** Takes a lock between processes; waits while a living process holds it, and takes it over from a dead one. */
export async function lock(path: string, waitMs = 30_000, lease = usualLease): Promise<Release> {
  const end = performance.now() + waitMs;
  const watch = watchLease(path, lease);
  for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
    const mine = ourLock();
    const content = take(path, mine);
    if (content === undefined) return () => removeIf(path, mine);
    if (isDead(content) || watch.lapsed(content)) await takeAway(path, content);
    else if (performance.now() > end)
      throw new Error(`${heldBy(holder(content))} has held ${path} for a long time; ${remedy(path)}`);
    else await wait(pause * (0.5 + Math.random()));
  }
}

/**
 * The same without waiting for a living process: returns the holder. Renewed until released. A remote holder is
 * watched until its lease is renewed or lapses.
 */
export async function tryLock(
  path: string,
  lease = usualLease,
): Promise<{ readonly release: Release } | LockHolder> {
  const watch = watchLease(path, lease);
  for (;;) {
    const mine = ourLock();
    const content = take(path, mine, madeAsFile);
    if (content === undefined) {
      removeDrafts(path);
      return { release: renew(path, mine, lease) };
    }
    if (isDead(content) || watch.lapsed(content)) await takeAway(path, content);
    else if (isOurs(content) || watch.renewed()) return holder(content);
    else await wait(Math.min(lease.renewMs / 10, 500));
  }
}

/** Creates the lock; returns its content if another process holds it. */
function take(path: string, mine: string, make = made): string | undefined {
  for (;;) {
    if (make(path, mine)) return undefined;
    const content = contentOf(path);
    if (content !== undefined) return content;
  }
}

function renew(path: string, mine: string, { renewMs }: Lease): Release {
  const timer = setInterval(() => {
    const now = new Date();
    try {
      // Gone, or taken over: the next append reports it.
      if (contentOf(path) === mine) lutimesSync(path, now, now);
      else clearInterval(timer);
    } catch {
      // A disk that fails, or is read-only now: the next append reports that too.
    }
  }, renewMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    try {
      removeIf(path, mine);
    } catch {
      // What stays is seen to be a dead process's.
    }
  };
}

function watchLease(path: string, { lapsesMs }: Lease) {
  let seen: string | undefined;
  let since = 0;
  let isRenewed = false;
  return {
    /** True if the remote holder has not renewed its lease for as long as it lasts. */
    lapsed(content: string): boolean {
      if (isOurs(content)) return false;
      const now = `${content} ${lstatSync(path, { throwIfNoEntry: false })?.mtimeMs}`;
      if (now !== seen) {
        isRenewed = seen !== undefined;
        [seen, since] = [now, performance.now()];
      }
      return performance.now() - since >= lapsesMs;
    },
    /** True if it has renewed the lease since it was first seen. */
    renewed: () => isRenewed,
  };
}

/** True if a running process holds the lock, as far as can be told at once. */
export function isLocked(path: string): boolean {
  const content = contentOf(path);
  if (content === undefined || isDead(content)) return false;
  const renewedAt = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return isOurs(content) || Math.abs(Date.now() - renewedAt) < usualLease.lapsesMs;
}

export const heldBy = ({ pid, host }: LockHolder) =>
  pid === 0 ? "an unknown process (until-green did not write its lock)" : `process ${pid} on ${host}`;
export const remedy = (path: string) => `if it is no longer there, delete ${path}`;

/** Under a lock of its own: otherwise two that found the same dead holder could remove each other's new lock. */
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

/** A symbolic link is created whole or not at all, and its target is its content: no half-written lock. */
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
 * The same as a file, for locks that are held while checks run: the test runner of Node 20 looks through `.git` too, and
 * ends at a link that leads nowhere.
 */
function madeAsFile(path: string, content: string): boolean {
  const whole = `${path}.${content.slice(-12)}`;
  try {
    writeFileSync(whole, content, { flag: "wx" });
    linkSync(whole, path);
    return true;
  } catch (error) {
    // A full disk, or a file system without hard links.
    return codeOf(error) === "EEXIST" ? false : made(path, content);
  } finally {
    rmSync(whole, { force: true });
  }
}

/** Removes what processes that were killed while they took the lock left. One that still lives makes a link instead. */
function removeDrafts(path: string): void {
  const start = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(start) && /^[0-9a-f]{12}$/.test(name.slice(start.length)))
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

/** A lock appears whole, but without a sync: after a power cut it may have no content, or zeros for it. */
const lost = /^\0*$/;

/** Not created by us: its owner is unknown, so it stays. */
const foreign = "0 ? ? ?";

/** True if its holder would be a process of this machine and container. */
function isOurs(content: string): boolean {
  const [, , host, processes] = content.split(" ");
  return content === foreign || (host === hostname() && processes === namespaceOfUs());
}

function isDead(content: string): boolean {
  const [pid = "", start = ""] = content.split(" ");
  return lost.test(content) || (isOurs(content) && hasEnded(pid, start));
}

const ourLock = () =>
  `${process.pid} ${startOfUs()} ${hostname()} ${namespaceOfUs()} ${randomBytes(6).toString("hex")}`;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
