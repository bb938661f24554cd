import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasEnded, unknown } from "./process-name.ts";

/** Writes a file whole or not at all: after a kill at any moment the path has what it had before, or all of this. */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o666): void {
  removeUnfinished(dirname(path), basename(path));
  const anew = unfinished(path);
  // Never through a link that somebody put there.
  rmSync(anew, { recursive: true, force: true });
  writeFileSync(anew, content, { flag: "wx", mode });
  renameSync(anew, path);
}

/** Where this process makes what will be renamed to a path: others may make the same at the same time. */
export const unfinished = (path: string): string => `${path}.${process.pid}`;

/** Removes what killed processes were making. */
export function removeUnfinished(dir: string, name: string): void {
  for (const other of readdirSync(dir)) {
    const pid = other.startsWith(`${name}.`) ? other.slice(name.length + 1) : "";
    if (/^\d+$/.test(pid) && hasEnded(pid, unknown))
      rmSync(join(dir, other), { recursive: true, force: true });
  }
}
