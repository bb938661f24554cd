import { lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeAll } from "./remove-all.ts";

/**
 * Creates a folder and its parents. Node's `recursive` option never returns below an existing folder in which nothing
 * can be created, such as /proc, and reports a read-only disk as a missing folder.
 */
export function makeFolder(path: string, mode = 0o777): string {
  // Usually it exists: an error would take much longer.
  if (isFolder(path)) return path;
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return path;
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || isFolder(above)) throw error;
    makeFolder(above, mode);
    // Another process may have created it at the same moment.
    return isFolder(path) ? path : makeFolder(path, mode);
  }
  return path;
}

/** Whether a path is a folder or a link to one. */
export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Creates a folder in a place where programs can write. Removes anything else at that path, such as a link. */
export function makeOwnFolder(path: string, mode = 0o700): string {
  if (isOwnFolder(path)) return path;
  removeAll(path);
  makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it at the same moment.
    if (!isOwnFolder(path)) throw error;
  }
  return path;
}

const isOwnFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The same for each folder on a path below another folder. */
export const makeOwnFolders = (root: string, path: string, mode?: number): string =>
  path.split("/").reduce((above, name) => makeOwnFolder(join(above, name), mode), root);
