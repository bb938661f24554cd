import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { type Aside, absorb, asideOf, findTop, isThere, move, readPaths, writePaths } from "./aside/place.ts";
import { hideFromGit, showToGit } from "./aside/tracked.ts";
import { lock, type Release, tryLock } from "./stores/lock.ts";

export { pathsAside } from "./aside/place.ts";

/** Puts back what was moved aside, once nobody needs it away any more; may be called twice. */
export type PutBack = () => Promise<void>;

/**
 * Moves files and folders of these names out of a checkout, from the workspace up to its top, until they are put back:
 * a program that starts there in the meantime does not find them. Agents that work side by side share what is aside.
 * What a killed process left aside is put back first.
 */
export async function setAside(workspace: string, names: readonly string[]): Promise<PutBack> {
  const folder = realpathSync(workspace);
  const aside = asideOf(findTop(folder));
  const isFound = () => foldersUpTo(folder, aside.top).some((at) => hasAny(at, names));
  const wanted = names.length > 0 && (readPaths(aside).length > 0 || isFound());
  if (!wanted && !existsSync(aside.place)) return async () => undefined;
  mkdirSync(join(aside.place, "holders"), { recursive: true, mode: 0o700 });
  return withLock(aside, async () => {
    if (!(await isHeld(aside))) restore(aside);
    if (!wanted) return async () => tidy(aside);
    const release = await hold(aside);
    moveAway(aside, folder, names);
    const atExit = () => restore(aside);
    process.once("exit", atExit);
    let isBack = false;
    return async () => {
      if (isBack) return;
      isBack = true;
      process.removeListener("exit", atExit);
      await withLock(aside, async () => {
        release();
        if (!(await isHeld(aside))) restore(aside);
      });
    };
  });
}

/** What of these names is aside just now from the checkout that a folder is in, by its paths from the top. */
export const findAside = (workspace: string, names: readonly string[]): readonly string[] =>
  readPaths(asideOf(findTop(realpathSync(workspace)))).filter((path) => names.includes(basename(path)));

const hasAny = (folder: string, names: readonly string[]) =>
  names.some((name) => isThere(join(folder, name)));

function foldersUpTo(folder: string, top: string): readonly string[] {
  return folder === top || folder === dirname(folder)
    ? [folder]
    : [folder, ...foldersUpTo(dirname(folder), top)];
}

async function withLock<T>({ place, gitDir }: Aside, task: () => Promise<T>): Promise<T> {
  const release = await lock(join(place, "lock"));
  try {
    return await task();
  } finally {
    release();
    if (gitDir === undefined) removeEmpty(place);
  }
}

/** Where there is no git, the place is among the workspace's own files. */
function removeEmpty(place: string): void {
  try {
    for (const folder of [join(place, "holders"), place]) rmdirSync(folder);
  } catch {
    // Somebody needs it.
  }
}

let holds = 0;

/** Each holder has a lock of its own, so that a dead one is told from a living one. */
async function hold({ place }: Aside): Promise<Release> {
  holds += 1;
  const taken = await tryLock(join(place, "holders", `${process.pid}-${holds}`));
  return "release" in taken ? taken.release : () => undefined;
}

async function isHeld({ place }: Aside): Promise<boolean> {
  for (const name of readdirSync(join(place, "holders"))) {
    const taken = await tryLock(join(place, "holders", name));
    if (!("release" in taken)) return true;
    taken.release();
  }
  return false;
}

function moveAway(aside: Aside, folder: string, names: readonly string[]): void {
  const found = foldersUpTo(folder, aside.top)
    .flatMap((at) => names.map((name) => join(at, name)))
    .filter(isThere)
    .map((path) => relative(aside.top, path));
  if (found.length === 0) return;
  // On record before anything moves: whoever finds it knows what may be away.
  writePaths(aside, [...new Set([...readPaths(aside), ...found])]);
  hideFromGit(aside, found);
  for (const path of found) {
    const [from, to] = [join(aside.top, path), join(aside.files, path)];
    // Another agent works here already, and something new has come to stand where the first stood.
    if (isThere(to)) absorb(from, to);
    else move(from, to);
  }
}

/** Everything to where it was; what has come to stand there stays where the first had nothing of its name. */
function restore(aside: Aside): void {
  for (const path of readPaths(aside)) {
    const [from, to] = [join(aside.files, path), join(aside.top, path)];
    if (!isThere(from)) continue; // killed before it was moved, or after it was put back
    const blocked = linkAbove(aside.top, path);
    if (blocked !== undefined)
      throw new Error(`${blocked} is no folder any more: ${path} of the checkout waits in ${from}`);
    if (isThere(to)) absorb(to, from);
    move(from, to);
  }
  showToGit(aside);
  tidy(aside);
}

function tidy({ place, files }: Aside): void {
  rmSync(join(place, "paths.json"), { force: true });
  rmSync(files, { recursive: true, force: true });
}

/** What the agent put in place of a folder above a path, and would lead elsewhere. */
function linkAbove(top: string, path: string): string | undefined {
  const parts = path.split("/").slice(0, -1);
  return parts
    .map((_, depth) => join(top, ...parts.slice(0, depth + 1)))
    .find((folder) => isThere(folder) && !lstatSync(folder).isDirectory());
}
