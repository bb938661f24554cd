import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isPlainFile, isThere } from "./path-kind.ts";
import { hasEnded, unknown } from "./process-name.ts";
import { removeAll } from "./remove-all.ts";

/** Writes a file atomically: after a kill at any moment, it has its old content or all of the new one. */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o666): void {
  removeUnfinished(dirname(path), basename(path));
  const draft = unfinished(path);
  // Do not write through a link that somebody put there.
  rmSync(draft, { recursive: true, force: true });
  try {
    writeFileSync(draft, content, { flag: "wx", mode });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/** The same for a new file. Fails with EEXIST if there is something at that path. */
export function writeNewFile(path: string, content: string): void {
  if (isThere(path)) throw Object.assign(new Error(`${path} already exists`), { code: "EEXIST" });
  replaceFile(path, content);
}

/** The same for a file that only we write. Removes anything else at that path, such as a folder. */
export function replaceOwnFile(path: string, content: string | Uint8Array): void {
  if (!isPlainFile(path)) removeAll(path);
  replaceFile(path, content);
}

/** The temporary path from which this process renames to `path`. Other processes may replace the file too. */
export const unfinished = (path: string): string => `${path}.${process.pid}`;

/** Removes unfinished files of killed processes. */
export function removeUnfinished(dir: string, name: string): void {
  for (const other of readdirSync(dir)) {
    const pid = other.startsWith(`${name}.`) ? other.slice(name.length + 1) : "";
    if (/^\d+$/.test(pid) && hasEnded(pid, unknown))
      rmSync(join(dir, other), { recursive: true, force: true });
  }
}
