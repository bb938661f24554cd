import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./folder.ts";

/** Files that only the process being started may read, and only while it runs. */
export interface Scratch {
  /** Writes a file and answers its path. */
  write(name: string, content: string): string;
  /** Calls `listener` when the files go. */
  onRemove(listener: () => void): void;
  remove(): void;
}

/** A folder for such files in `parent`, made when the first is written. */
export function openScratch(parent: string): Scratch {
  let folder: string | undefined;
  const listeners: (() => void)[] = [];
  return {
    write(name, content) {
      if (folder === undefined) {
        folder = mkdtempSync(join(makeFolder(parent), ".scratch-"));
      }
      const path = join(folder, name);
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
