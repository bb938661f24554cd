import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { repositoryOf } from "./git-folders.ts";
import { entriesIn } from "./lenient-reads.ts";
import { inProc, processes } from "./proc-files.ts";
import { removeAll } from "./remove-all.ts";

/** Git's folders, and the links, pipes and locks in them at some moment. */
export interface OddBefore {
  readonly folders: readonly string[];
  readonly odd: readonly string[];
}

export const recordOdd = (folders: readonly string[]): OddBefore => ({
  folders,
  odd: folders.flatMap(oddEntries),
});

/**
 * Removes the links, pipes and locks that were added to git's folders since: through a link, git would write to a file
 * that the sandboxed program could not write itself; at a pipe, git would wait forever; at a lock, git would refuse to
 * work. Locks stay while a git process works there, because one may be its own.
 */
export function removeNewOdd({ folders, odd }: OddBefore): void {
  const before = new Set(odd);
  const come = folders.flatMap(oddEntries).filter((path) => !before.has(path));
  const keepsLocks = come.some(isLock) && isGitIn(folders);
  for (const path of come) if (!(keepsLocks && isLock(path))) removeAll(path);
}

/**
 * Whether a git process works in a checkout of one of these repositories now, inside or outside a sandbox, as far as
 * this user can see; always false without /proc.
 */
const isGitIn = (folders: readonly string[]): boolean =>
  processes().some((pid) => {
    try {
      const isGit = /^git\b/.test(inProc(pid, "comm"));
      return isGit && folders.includes(repositoryOf(readlinkSync(`/proc/${pid}/cwd`))?.common ?? "");
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });

/** A git that is killed leaves its locks behind; so does every git that still runs when its sandbox ends. */
const isLock = (path: string) => path.endsWith(".lock");

/** Locks, and entries that are neither file nor folder. Loose objects are skipped: nobody can choose their names. */
function oddEntries(top: string): readonly string[] {
  const odd: string[] = [];
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesIn(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skipped.test(path.slice(top.length))) folders.push(path);
      } else if (!entry.isFile() || isLock(path)) odd.push(path);
    }
  }
  return odd;
}

const skipped = /\/objects\/[0-9a-f]{2}$|^\/(?:until-green|lfs)$/;
