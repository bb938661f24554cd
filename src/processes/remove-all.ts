import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, rmSync } from "node:fs";
import { systemPath } from "./system-path.ts";

/**
 * Removes a file or a folder of this user, without following links. A program of the run may have made it or its parent
 * folder read-only, as Go does with modules, so that `rm` alone would fail.
 */
export function removeAll(path: string | Buffer): void {
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 2 });
  try {
    remove();
  } catch {
    const bytes = Buffer.from(path).toString("latin1");
    unlock(bytes.slice(0, bytes.lastIndexOf("/")));
    unlockBelow(bytes);
    remove();
  }
}

/** Makes a file or folder of this user usable for its owner; links stay as they are. */
export const unlockPath = (path: string): void => void unlock(Buffer.from(path).toString("latin1"));

/** The same for all folders between a folder and what is below it, one character per byte, up to the first link. */
export function unlockBetween(folder: string, path: string): void {
  let at = Buffer.from(folder).toString("latin1");
  for (const name of path.split("/")) {
    at = `${at}/${name}`;
    if (!unlock(at)) return;
  }
}

/** Paths have one character per byte. False if there is no file or folder. */
function unlock(path: string): boolean {
  const place = Buffer.from(path, "latin1");
  try {
    const stat = lstatSync(place);
    const wanted = stat.isDirectory() ? 0o700 : stat.isFile() ? 0o600 : 0;
    if ((stat.mode & wanted) !== wanted) chmodSync(place, (stat.mode | wanted) & 0o7777);
    return wanted !== 0;
  } catch {
    // It is missing or belongs to another user: whoever uses it reports that.
    return false;
  }
}

/** By a program, because Node cannot name what lies deeper than a path can be long. */
function unlockBelow(path: string): void {
  const place = Buffer.from(path, "latin1");
  if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const env = { PATH: systemPath };
  spawnSync("xargs", ["-0", "chmod", "-R", "u+rwx", "--"], { cwd: "/", env, input: place, stdio: "pipe" });
}

/** Takes all steps, even if some fail; then throws the first error. */
export function takeAll(steps: readonly (() => void)[]): void {
  const faults = steps.flatMap((step) => {
    try {
      step();
      return [];
    } catch (error) {
      return [error];
    }
  });
  if (faults.length > 0) throw faults[0];
}
