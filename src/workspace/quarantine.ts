import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { lock, type Release, tryLock } from "../processes/lock.ts";
import { isThere } from "../processes/path-kind.ts";
import {
  absorb,
  findTop,
  move,
  type Quarantine,
  quarantineOf,
  readPaths,
  writePaths,
} from "./quarantine/folder.ts";
import { hideFromGit, showToGit } from "./quarantine/git-index.ts";

export { quarantinedPaths } from "./quarantine/folder.ts";

/** Restores the files when no holder is left; may be called twice. */
export type RestoreFiles = () => Promise<void>;

/**
 * Moves files and folders with these names out of a checkout, from the workspace's folder up to its top, until they are
 * restored: a program that starts meanwhile does not find them. Parallel agents share the quarantine. First restores
 * what a killed process left there.
 */
export async function quarantineFiles(workspace: string, names: readonly string[]): Promise<RestoreFiles> {
  const folder = realpathSync(workspace);
  const quarantine = quarantineOf(findTop(folder));
  const isFound = () => foldersUpTo(folder, quarantine.top).some((at) => hasAny(at, names));
  const wanted = names.length > 0 && (readPaths(quarantine).length > 0 || isFound());
  if (!wanted && !existsSync(quarantine.place)) return async () => undefined;
  mkdirSync(join(quarantine.place, "holders"), { recursive: true, mode: 0o700 });
  return withLock(quarantine, async () => {
    if (!(await isHeld(quarantine))) restore(quarantine);
    if (!wanted) return async () => removeQuarantine(quarantine);
    const release = await hold(quarantine);
    moveAway(quarantine, folder, names);
    const atExit = () => restore(quarantine);
    process.once("exit", atExit);
    let isBack = false;
    return async () => {
      if (isBack) return;
      isBack = true;
      process.removeListener("exit", atExit);
      await withLock(quarantine, async () => {
        release();
        if (!(await isHeld(quarantine))) restore(quarantine);
      });
    };
  });
}

/** The quarantined paths of a folder's checkout, relative to its top. */
export const listQuarantined = (workspace: string, names: readonly string[]): readonly string[] =>
  readPaths(quarantineOf(findTop(realpathSync(workspace)))).filter((path) => names.includes(basename(path)));

const hasAny = (folder: string, names: readonly string[]) =>
  names.some((name) => isThere(join(folder, name)));

function foldersUpTo(folder: string, top: string): readonly string[] {
  return folder === top || folder === dirname(folder)
    ? [folder]
    : [folder, ...foldersUpTo(dirname(folder), top)];
}

async function withLock<T>({ place, gitDir }: Quarantine, task: () => Promise<T>): Promise<T> {
  const release = await lock(join(place, "lock"));
  try {
    return await task();
  } finally {
    release();
    if (gitDir === undefined) removeEmpty(place);
  }
}

/** Without git, the quarantine is in the workspace itself, so it is removed if it is empty. */
function removeEmpty(place: string): void {
  try {
    for (const folder of [join(place, "holders"), place]) rmdirSync(folder);
  } catch {
    // It is still in use.
  }
}

let holds = 0;

/** Each holder has its own lock, which shows whether it is still running. */
async function hold({ place }: Quarantine): Promise<Release> {
  holds += 1;
  const taken = await tryLock(join(place, "holders", `${process.pid}-${holds}`));
  return "release" in taken ? taken.release : () => undefined;
}

async function isHeld({ place }: Quarantine): Promise<boolean> {
  for (const name of readdirSync(join(place, "holders"))) {
    const taken = await tryLock(join(place, "holders", name));
    if (!("release" in taken)) return true;
    taken.release();
  }
  return false;
}

function moveAway(quarantine: Quarantine, folder: string, names: readonly string[]): void {
  const folders = foldersUpTo(folder, quarantine.top)
    .flatMap((at) => names.map((name) => join(at, name)))
    .filter(isThere)
    .map((path) => relative(quarantine.top, path));
  if (folders.length === 0) return;
  // Recorded before anything moves, so that it can be restored after a kill.
  writePaths(quarantine, [...new Set([...readPaths(quarantine), ...folders])]);
  hideFromGit(quarantine, folders);
  for (const path of folders) {
    const [from, to] = [join(quarantine.top, path), join(quarantine.files, path)];
    // Another agent is already running here, and a new file has appeared in place of the quarantined one.
    if (isThere(to)) absorb(from, to);
    else move(from, to);
  }
}

/** Moves everything back; new files stay if the original had none of that name. */
function restore(quarantine: Quarantine): void {
  for (const path of readPaths(quarantine)) {
    const [from, to] = [join(quarantine.files, path), join(quarantine.top, path)];
    if (!isThere(from)) continue; // killed before it was moved, or after it was moved back
    const blocked = linkAbove(quarantine.top, path);
    if (blocked !== undefined)
      throw new Error(`${blocked} is no folder any more: ${path} of the checkout waits in ${from}`);
    if (isThere(to)) absorb(to, from);
    move(from, to);
  }
  showToGit(quarantine);
  removeQuarantine(quarantine);
}

function removeQuarantine({ place, files }: Quarantine): void {
  rmSync(join(place, "paths.json"), { force: true });
  rmSync(files, { recursive: true, force: true });
}

/** A link or file that the agent put in place of a parent folder. */
function linkAbove(top: string, path: string): string | undefined {
  const parts = path.split("/").slice(0, -1);
  return parts
    .map((_, depth) => join(top, ...parts.slice(0, depth + 1)))
    .find((folder) => isThere(folder) && !lstatSync(folder).isDirectory());
}
