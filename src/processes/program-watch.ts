import { lstatSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";
import { isWritable } from "./is-writable.ts";
import { namesIn } from "./lenient-reads.ts";

/**
 * Watches the programs on PATH that this user could replace. The returned function lists the folders that were
 * replaced, and the programs that are new or changed. A check starts programs by name: an agent may have added its own,
 * or installed what it needs.
 */
export function watchPrograms({ PATH = "" }: Environment): () => readonly string[] {
  const folders = [...new Set(PATH.split(delimiter).filter(isAbsolute))];
  const before = new Map(folders.map((folder) => [folder, inodeOf(folder)]));
  const startTime = diskTime();
  return () =>
    folders.flatMap((folder) =>
      inodeOf(folder) === before.get(folder) ? changedSince(startTime, folder) : [folder],
    );
}

/** The time by the disk's clock. The clock may have been set back by years since programs were installed. */
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

/** A file's change time is set by the system, unlike its modification time, so its content need not be read before. */
const changedSince = (startTime: number, folder: string): readonly string[] =>
  (isWritable(folder) ? namesIn(folder) : [])
    .map((name) => join(folder, name))
    .filter((path) => {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat !== undefined && !stat.isDirectory() && stat.ctimeMs > startTime;
    });
