import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { randomName } from "./random-name.ts";
import { removeAll } from "./remove-all.ts";

/** Files of one started process, which exist only while it runs. */
export interface PrivateTempDir {
  /** A path that nobody can guess, in an existing folder, for a file or folder that the process writes itself. */
  path(name: string): string;
  /** Writes a file into a folder that only this user may read, and returns its path. */
  write(name: string, content: string): string;
  /** Calls `listener` when the files are removed. */
  onRemove(listener: () => void): void;
  remove(): void;
}

const prefix = ".scratch-";

/** Removes what a killed process left in `parent`. Call it only if no other process can work there. */
export function sweepPrivateTempDirs(parent: string): void {
  for (const name of readdirSync(parent)) if (name.startsWith(prefix)) removeAll(join(parent, name));
}

/**
 * Creates a folder in `parent` for the first file that is written. A path needs none: most checks write no report, and
 * to create and remove a folder can take as long as to start a program.
 */
export function openPrivateTempDir(parent: string): PrivateTempDir {
  let folder: string | undefined;
  let parentMade: string | undefined;
  const made = () => {
    parentMade ??= makeFolder(parent);
    return parentMade;
  };
  const paths: string[] = [];
  const listeners: (() => void)[] = [];
  return {
    path(name) {
      const path = join(made(), `${prefix}${randomName()}-${name}`);
      paths.push(path);
      return path;
    },
    write(name, content) {
      folder ??= mkdtempSync(join(made(), prefix));
      const path = join(folder, name);
      writeFileSync(path, content, { mode: 0o600 });
      return path;
    },
    onRemove: (listener) => void listeners.push(listener),
    remove() {
      for (const listener of listeners.splice(0)) listener();
      for (const path of folder === undefined ? paths : [...paths, folder]) removeAll(path);
    },
  };
}
