import { accessSync, constants, lstatSync, readdirSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../../src/index.ts";

/**
 * Looks at the programs on PATH that this user could replace; the answer names those that are new or other ones later. A
 * check starts programs by their names, and an agent may have put its own there, as it may have installed what it needs.
 */
export function watchPrograms({ PATH = "" }: Environment): () => readonly string[] {
  const folders = [...new Set(PATH.split(delimiter).filter(isAbsolute))];
  const before = new Map(folders.map((folder) => [folder, programsIn(folder)]));
  return () =>
    folders.flatMap((folder) => {
      const known = before.get(folder);
      const now = [...programsIn(folder)];
      return now.filter(([name, mark]) => known?.get(name) !== mark).map(([name]) => join(folder, name));
    });
}

/** None where nobody of ours can write. The time of a file's last change, unlike that of its text, cannot be set back. */
function programsIn(folder: string): ReadonlyMap<string, string> {
  const names = namesIn(folder);
  return new Map(
    names.flatMap((name) => {
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
      return stat === undefined || stat.isDirectory() ? [] : [[name, `${stat.ino} ${stat.ctimeMs}`]];
    }),
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    accessSync(folder, constants.W_OK);
    return readdirSync(folder);
  } catch {
    return [];
  }
}
