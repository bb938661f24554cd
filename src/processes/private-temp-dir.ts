import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";

/** Files that only the started process may read, and only while it runs. */
export interface PrivateTempDir {
  /** The path for a file or folder that the process writes itself. */
  path(name: string): string;
  /** Writes a file and returns its path. */
  write(name: string, content: string): string;
  /** Calls `listener` when the files are removed. */
  onRemove(listener: () => void): void;
  remove(): void;
}

const prefix = ".scratch-";

/** Removes what a killed process left in `parent`. Call it only if no other process can work there. */
export function sweepPrivateTempDirs(parent: string): void {
  for (const name of readdirSync(parent))
    if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true, force: true });
}

/** Creates such a folder in `parent`, together with the first path. */
export function openPrivateTempDir(parent: string): PrivateTempDir {
  let folder: string | undefined;
  const listeners: (() => void)[] = [];
  const pathOf = (name: string) => {
    folder ??= mkdtempSync(join(makeFolder(parent), prefix));
    return join(folder, name);
  };
  return {
    path: pathOf,
    write(name, content) {
      const path = pathOf(name);
      writeFileSync(path, content, { mode: 0o600 });
      return path;
    },
    onRemove: (listener) => void listeners.push(listener),
    remove() {
      for (const listener of listeners.splice(0)) listener();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
