import { accessSync, constants, lstatSync, mkdtempSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";

/**
 * From now on, looks at the programs on PATH that this user could replace; the answer names those that are new or other
 * ones. A check starts programs by their names, and an agent may have put its own there, as it may have installed what
 * it needs.
 */
export function watchPrograms({ PATH = "" }: Environment): () => readonly string[] {
  const folders = [...new Set(PATH.split(delimiter).filter(isAbsolute))];
  const before = new Map(folders.map((folder) => [folder, inodeOf(folder)]));
  const begun = diskTime();
  return () =>
    folders.flatMap((folder) =>
      inodeOf(folder) === before.get(folder) ? changedSince(begun, folder) : [folder],
    );
}

/** The time by which the disk dates files: the clock may have been set back by years since programs were installed. */
function diskTime(): number {
  try {
    const folder = mkdtempSync(join(tmpdir(), "until-green-time-"));
    const { ctimeMs } = statSync(folder);
    rmdirSync(folder);
    return ctimeMs;
  } catch {
    return Date.now();
  }
}

function inodeOf(folder: string): number | undefined {
  try {
    return statSync(folder).ino;
  } catch {
    return undefined;
  }
}

/** A file's change time is set by the system, unlike its modification time, so the file need not be read before. */
const changedSince = (begun: number, folder: string): readonly string[] =>
  namesIn(folder)
    .map((name) => join(folder, name))
    .filter((path) => {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat !== undefined && !stat.isDirectory() && stat.ctimeMs > begun;
    });

/** None if no other process of this user can write. */
function namesIn(folder: string): readonly string[] {
  try {
    accessSync(folder, constants.W_OK);
    return readdirSync(folder);
  } catch {
    return [];
  }
}
