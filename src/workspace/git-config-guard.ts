import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isThere } from "../processes/path-kind.ts";
import { readRegularBytes } from "../processes/regular-file.ts";
import { replaceOwnFile } from "../processes/replace-file.ts";

/** Files that decide how git reads a repository, and which programs it starts there. */
const names = [
  "HEAD",
  "commondir",
  "config",
  "config.worktree",
  "info/attributes",
  "info/exclude",
  "info/excludes",
  "info/grafts",
  "info/sparse-checkout",
  "info/user-attributes",
  "objects/info/alternates",
];

/** The content of these files when this process first saw it, by repository. */
const remembered = new Map<string, ReadonlyMap<string, Buffer | undefined>>();

/**
 * Restores the settings of a private repository to what this process first saw. Agents run as the same user and can
 * write there.
 */
export function guardStore(store: string): void {
  const before = remembered.get(store);
  if (before === undefined) {
    remembered.set(store, new Map(names.map((name) => [name, readRegularBytes(join(store, name))])));
    return;
  }
  for (const [name, bytes] of before) {
    const path = join(store, name);
    const now = readRegularBytes(path);
    if (bytes === undefined ? !isThere(path) : now?.equals(bytes) === true) continue;
    if (bytes === undefined) {
      rmSync(path, { recursive: true, force: true });
      continue;
    }
    mkdirSync(dirname(path), { recursive: true });
    replaceOwnFile(path, bytes);
  }
}
