import { type Dirent, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Remembers the links and pipes in folders of git. The answer removes those that have come since: git would write through
 * a link into a file that the program behind the wall could not write, and wait for a pipe for ever.
 */
export function watchGitLinks(folders: readonly string[]): () => void {
  const before = new Set(folders.flatMap(oddEntries));
  return () => {
    for (const path of folders.flatMap(oddEntries)) if (!before.has(path)) rmSync(path, { force: true });
  };
}

/** What is neither a file nor a folder. Loose objects are left out: git writes them under names that nobody chooses. */
function oddEntries(top: string): readonly string[] {
  const odd: string[] = [];
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skipped.test(path.slice(top.length))) folders.push(path);
      } else if (!entry.isFile()) odd.push(path);
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
