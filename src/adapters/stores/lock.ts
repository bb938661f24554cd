import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";

export type Release = () => void;

/** Who has a lock, as far as its content tells. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** Takes a lock between processes; waits while a living process has it, takes it over from a dead one. */
export async function lock(path: string, waitMs = 30_000): Promise<Release> {
  const end = performance.now() + waitMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
    const taken = await tryLock(path);
    if ("release" in taken) return taken.release;
    if (performance.now() > end)
      throw new Error(`${heldBy(taken)} has had ${path} for long; ${remedy(path)}`);
    await wait(pause * (0.5 + Math.random()));
  }
}

// Read once: every append takes a lock.
let ourStart: string | undefined;

/** The same without waiting: answers who has it. */
export async function tryLock(path: string): Promise<{ readonly release: Release } | Holder> {
  // A symbolic link is made whole or not at all, and what it points to is its content: no half-written lock.
  ourStart ??= startOf("self");
  const mine = `${process.pid} ${ourStart} ${hostname()} ${randomBytes(6).toString("hex")}`;
  for (;;) {
    if (made(path, mine)) return { release: () => removeIf(path, mine) };
    const content = contentOf(path);
    if (content === undefined) continue; // released just now
    if (!isDead(content)) return holder(content);
    await takeAway(path, content);
  }
}

/** Whether a living process has the lock, as far as can be told. */
export function isLocked(path: string): boolean {
  const content = contentOf(path);
  return content !== undefined && !isDead(content);
}

export const heldBy = ({ pid, host }: Holder) => `process ${pid} on ${host}`;
export const remedy = (path: string) => `if it is no longer there, delete ${path}`;

/** Under a lock of its own: else two who found the same dead holder could remove each other's new lock. */
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

function made(path: string, content: string): boolean {
  try {
    symlinkSync(content, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "EINVAL") return "0 ? ?"; // not ours; nobody can say whose
    throw error;
  }
}

function holder(content: string): Holder {
  const [pid, , host] = content.split(" ");
  return { pid: Number(pid), host: host ?? "?" };
}

function isDead(content: string): boolean {
  const [pid = "", start, host] = content.split(" ");
  if (host !== hostname() || !(Number(pid) > 0)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return true;
  }
  const now = startOf(pid);
  return now !== unknown && start !== unknown && now !== start;
}

const unknown = "-";

/** Tells a process from a later one of the same number: boot and start time, where there is a /proc. */
function startOf(pid: string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return "dead";
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8)}:${fields[19]}`;
  } catch {
    return unknown;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
