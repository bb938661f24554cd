import { createHash, randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { hasEnded, namespaceOfUs, startOfUs, unknown } from "./process-name.ts";

const swept = new Set<string>();

/**
 * Creates a temporary folder with the name of its process in its own. What killed processes left in the same place is
 * removed before, once for each process.
 */
export function makeTempFolder(kind: string, place = tmpdir()): string {
  sweepOnce(place);
  return mkdtempSync(join(place, `until-green-${kind}-${nameOfUs()}-`));
}

/** A path for a file of this process, which the next one removes if this one is killed. */
export function tempPath(kind: string): string {
  const place = tmpdir();
  sweepOnce(place);
  return join(place, `until-green-${kind}-${nameOfUs()}-${randomBytes(3).toString("hex")}`);
}

function sweepOnce(place: string): void {
  if (!swept.has(place)) sweepTempFolders(place);
  swept.add(place);
}

/**
 * A folder for what no program of a run may reach: programs behind the file wall find it empty. Its path is short, as
 * that of a socket has room for 107 characters.
 */
export function ownFolder(): string {
  const uid = process.getuid?.();
  if (uid === undefined) return tmpdir();
  const path = `/tmp/until-green-net-${uid}`;
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stat = lstatSync(path);
  if (!stat.isDirectory() || stat.uid !== uid)
    throw new Error(`${path} belongs to another user: remove it, because until-green stores its files there`);
  chmodSync(path, 0o700);
  return path;
}

/** Removes a folder, also where what was installed there is read-only, as modules of Go are. */
export function removeTempFolder(path: string): void {
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 2 });
  try {
    remove();
  } catch {
    makeWritable(path);
    remove();
  }
}

/** Removes the folders and files of processes that have ended; one whose process cannot be seen from here when it is old. */
export function sweepTempFolders(place: string): void {
  for (const name of namesIn(place)) {
    const owner = /^until-green-[a-z]+-(\w+)\.(\w+)\.(\w+)-\w{6}$/.exec(name);
    const path = join(place, name);
    try {
      if (owner !== null && isLeft(path, owner)) removeTempFolder(path);
    } catch {
      // Somebody else's, or just removed.
    }
  }
}

/** None of a folder that is missing: who uses it says so. */
function namesIn(place: string): readonly string[] {
  try {
    return readdirSync(place);
  } catch {
    return [];
  }
}

/** A process of another container, or before a restart, cannot be seen: longer than anything that uses such a folder. */
const longestMs = 7 * 24 * 3_600_000;

function isLeft(path: string, [, pid = "", machine, ticks = ""]: readonly string[]): boolean {
  const { uid, mtimeMs } = lstatSync(path);
  if (uid !== process.getuid?.()) return false;
  if (machine !== machineOfUs()) return Date.now() - mtimeMs > longestMs;
  const [boot] = startOfUs().split(":");
  return hasEnded(String(Number.parseInt(pid, 36)), boot === unknown ? unknown : `${boot}:${decimal(ticks)}`);
}

/** Short, as the path of a socket has room for 107 characters. */
const nameOfUs = () => {
  const [, ticks = "0"] = startOfUs().split(":");
  return [process.pid.toString(36), machineOfUs(), Number(ticks).toString(36)].join(".");
};

const decimal = (ticks: string) => Number.parseInt(ticks, 36);

/** The boot and the PID namespace that a PID belongs to. */
function machineOfUs(): string {
  const [boot = ""] = startOfUs().split(":");
  const names = [boot === unknown ? hostname() : boot, namespaceOfUs()];
  return createHash("sha256").update(names.join("\0")).digest("hex").slice(0, 6);
}

function makeWritable(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
}
