import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdtempSync, rmdirSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { attempt, namesIn } from "./lenient-reads.ts";
import { makeFolder } from "./make-folder.ts";
import { hasEnded, namespaceOfUs, startOfUs, unknown } from "./process-name.ts";
import { randomName } from "./random-name.ts";
import { removeAll } from "./remove-all.ts";

const swept = new Set<string>();

/**
 * Creates a temporary folder whose name identifies its process. First removes what killed processes left in the same
 * place, once per process.
 */
export function makeTempFolder(kind: string, place = tmpdir()): string {
  sweepOnce(place);
  return mkdtempSync(join(place, `until-green-${kind}-${nameOfUs()}-`));
}

/** The path for a temporary file of this process; if it is killed, a later process removes the file. */
export function tempPath(kind: string): string {
  const place = tmpdir();
  sweepOnce(place);
  return join(place, `until-green-${kind}-${nameOfUs()}-${randomName().slice(-6)}`);
}

function sweepOnce(place: string): void {
  if (!swept.has(place)) sweepTempFolders(place);
  swept.add(place);
}

/**
 * A folder that no program behind the walls may reach: it finds it empty. Its path is short because a
 * socket's path is limited to 107 characters.
 */
export function ownFolder(): string {
  const uid = process.getuid?.();
  if (uid === undefined) return tmpdir();
  return privateFolder(`/tmp/until-green-net-${uid}`, uid);
}

/** The same for what may be large: where temporary files of this user belong. */
export function storageFolder(): string {
  const uid = process.getuid?.();
  if (uid === undefined || tmpdir() === "/tmp") return ownFolder();
  return privateFolder(join(tmpdir(), `until-green-own-${uid}`), uid);
}

/** Removes that folder if nothing is in it: another process may still use it. */
export const removeStorage = (): void => void attempt(() => rmdirSync(storageFolder()));

function privateFolder(path: string, uid: number): string {
  makeFolder(path, 0o700);
  const stat = lstatSync(path);
  if (!stat.isDirectory() || stat.uid !== uid)
    throw new Error(`${path} belongs to another user: remove it, because until-green stores its files there`);
  chmodSync(path, 0o700);
  return path;
}

/** Refuses a link where our folder should be: a program that put it there would decide where we write. */
export function refuseLink(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new Error(`${path} is a link, but until-green stores its files there: remove it`);
  return path;
}

/** Removes the folders and files of ended processes; those of processes not visible here, once they are old. */
export function sweepTempFolders(place: string): void {
  // If the folder is missing, whoever uses it reports that.
  for (const name of namesIn(place)) {
    const owner = /^until-green-[a-z]+-(\w+)\.(\w+)\.(\w+)-\w{6}$/.exec(name);
    const path = join(place, name);
    try {
      if (owner !== null && isLeft(path, owner)) removeAll(path);
    } catch {
      // It belongs to another user, or was just removed.
    }
  }
}

/**
 * The age at which leftovers of processes in another container, or from before a restart, are removed: longer than
 * anything uses such a folder.
 */
const longestMs = 7 * 24 * 3_600_000;

function isLeft(path: string, [, pid = "", machine, ticks = ""]: readonly string[]): boolean {
  const { uid, mtimeMs } = lstatSync(path);
  if (uid !== process.getuid?.()) return false;
  if (machine !== machineOfUs()) return Date.now() - mtimeMs > longestMs;
  const [boot] = startOfUs().split(":");
  return hasEnded(String(Number.parseInt(pid, 36)), boot === unknown ? unknown : `${boot}:${decimal(ticks)}`);
}

/** Short, because a socket's path is limited to 107 characters. */
function nameOfUs(): string {
  const [, ticks = "0"] = startOfUs().split(":");
  ourName ??= [process.pid.toString(36), machineOfUs(), Number(ticks).toString(36)].join(".");
  return ourName;
}

let ourName: string | undefined;

const decimal = (ticks: string) => Number.parseInt(ticks, 36);

/** Identifies the boot and the PID namespace that a PID belongs to. */
function machineOfUs(): string {
  const [boot = ""] = startOfUs().split(":");
  const names = [boot === unknown ? hostname() : boot, namespaceOfUs()];
  return createHash("sha256").update(names.join("\0")).digest("hex").slice(0, 6);
}
