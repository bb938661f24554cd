import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { withDiskErrors } from "../ports/disk-fault.ts";
import { removePlaceholders } from "./git-mounts.ts";
import { refuseNew, type SettingsBefore } from "./git-settings.ts";
import { attempt, namesIn } from "./lenient-reads.ts";
import { isLocked, tryLock } from "./lock.ts";
import { makeFolder } from "./make-folder.ts";
import { kindOf } from "./path-kind.ts";
import { randomName } from "./random-name.ts";
import { replaceFile } from "./replace-file.ts";

/*
 * While a program works behind the file wall, a record in git's folder says what git's settings were before. If this
 * process is killed, whoever comes next removes what the program left there.
 */

/** Writes the record of a program that starts now; the returned function removes it. */
export async function recordProgram(folder: string, before: SettingsBefore): Promise<() => void> {
  const path = join(folder, `${process.pid}-${randomName()}`);
  return withDiskErrors(path, async () => {
    makeFolder(folder, 0o700);
    // Locked first: a record without its lock is that of a killed process.
    const taken = await tryLock(`${path}.lock`);
    replaceFile(`${path}.json`, JSON.stringify(before), 0o600);
    return () => {
      rmSync(`${path}.json`, { force: true });
      if ("release" in taken) taken.release();
    };
  });
}

/** Removes what programs left for git whose until-green was killed; returns names of settings, and paths. */
export async function removeLeftByKilled(folder: string, waits?: "waits"): Promise<readonly string[]> {
  const records = namesIn(folder).filter((each) => each.endsWith(".json"));
  // Together: each process on another machine is watched until its lease expires.
  const removed = await Promise.all(records.map((name) => removeLeftBy(join(folder, name), waits)));
  return [...new Set(removed.flat())];
}

async function removeLeftBy(record: string, waits?: "waits"): Promise<readonly string[]> {
  const lock = record.replace(/json$/, "lock");
  if (waits === undefined && isLocked(lock)) return [];
  const lastSign = kindOf(lock)?.mtimeMs ?? Number.POSITIVE_INFINITY;
  const taken = await tryLock(lock);
  if (!("release" in taken)) return [];
  try {
    const before = attempt(() => JSON.parse(readFileSync(record, "utf8")) as SettingsBefore);
    const { settings = [], paths = [] } = before === undefined ? {} : refuseNew(untilKill(before, lastSign));
    rmSync(record, { force: true });
    // Another until-green may be running there: then they are its own as well.
    if (!namesIn(dirname(record)).some((name) => name.endsWith(".json")))
      for (const place of before?.places ?? []) removePlaceholders(place);
    return [...settings, ...paths];
  } finally {
    taken.release();
  }
}

/** Without files that somebody changed long after the last sign of the process: its programs ended with it. */
function untilKill({ files, ...others }: SettingsBefore, lastSign: number): SettingsBefore {
  const isLater = (path: string) => (kindOf(path)?.ctimeMs ?? 0) > lastSign + longestSilenceMs;
  return {
    ...others,
    files: files.filter(([path]) => !isLater(path)),
  };
}

/** A process renews its lock six times in this time. */
const longestSilenceMs = 60_000;
