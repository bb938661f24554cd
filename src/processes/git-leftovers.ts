import { type Dirent, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repositoryOf } from "./git-folders.ts";

/**
 * Remembers the links, pipes and locks in folders of git. The answer removes those that have come since: git would write
 * through a link into a file that the program behind the wall could not write, wait for a pipe for ever, and refuse to
 * work where a lock is. Locks stay while another git works there: one may be its own.
 */
export function watchGitLeftovers(folders: readonly string[]): () => void {
  const before = new Set(folders.flatMap(oddEntries));
  return () => {
    const come = folders.flatMap(oddEntries).filter((path) => !before.has(path));
    const keepsLocks = come.some(isLock) && isGitIn(folders);
    for (const path of come) if (!(keepsLocks && isLock(path))) rmSync(path, { force: true });
  };
}

/**
 * Whether a git works now in a checkout of one of these, as far as this user may know, behind a wall or not; false without
 * a /proc.
 */
const isGitIn = (folders: readonly string[]): boolean =>
  entriesOf("/proc").some(({ name }) => {
    try {
      const isGit = /^\d+$/.test(name) && /^git\b/.test(readFileSync(`/proc/${name}/comm`, "latin1"));
      return isGit && folders.includes(repositoryOf(readlinkSync(`/proc/${name}/cwd`))?.common ?? "");
    } catch {
      // It has ended, or is somebody else's.
      return false;
    }
  });

/** A git that is killed leaves its locks, as do all that still run when their program behind the wall ends. */
const isLock = (path: string) => path.endsWith(".lock");

/**
 * What is neither a file nor a folder, and locks. Loose objects are left out: git writes them under names that nobody
 * chooses.
 */
function oddEntries(top: string): readonly string[] {
  const odd: string[] = [];
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skipped.test(path.slice(top.length))) folders.push(path);
      } else if (!entry.isFile() || isLock(path)) odd.push(path);
    }
  }
  return odd;
}

const skipped = /\/objects\/[0-9a-f]{2}$|^\/(?:until-green|lfs)$/;

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
