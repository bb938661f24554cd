import { existsSync } from "node:fs";
import { join } from "node:path";
import { isWritable } from "./is-writable.ts";

/** Where git's folder has the records of the programs that work in its checkout. */
export const programRecords = (gitDir: string): string => join(gitDir, "until-green", "programs");

/**
 * Before git enters a checkout in which until-green was killed: removes what its programs left there for git to start.
 * With `waits`, a process of another machine or container is watched until it shows whether it is alive.
 */
export async function cleanAfterKill(
  gitDir: string,
  notice: (text: string) => void,
  waits?: "waits",
): Promise<void> {
  const records = programRecords(gitDir);
  // Someone who may only read the checkout can still look at its runs.
  if (!existsSync(records) || !isWritable(records)) return;
  const { removeLeftByKilled } = await import("./killed-programs.ts");
  const removed = await removeLeftByKilled(records, waits);
  if (removed.length === 0) return;
  const few = removed.slice(0, 5).join(", ");
  notice(`a run was killed while its program worked here; what it left for git to start was removed: ${few}`);
}
