import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its parents. Node's own way never ends below an existing folder in which nothing can be
 * created, such as /proc.
 */
export function makeFolder(path: string, mode = 0o777): string {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return path;
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || isFolder(above)) throw error;
    makeFolder(above, mode);
    // Another process may create it at the same moment.
    return isFolder(path) ? path : makeFolder(path, mode);
  }
  return path;
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
