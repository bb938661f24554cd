import type { LogStore } from "../ports/store.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { findDamaged } from "./find-run.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";
import { findLocation } from "./run-environment.ts";

/** `until-green repair`: truncates a damaged log to its last complete line, so that the run can be resumed. */
export async function repairCommand(given: string | undefined, options: CommonOptions): Promise<ExitCode> {
  const { store } = await findLocation(options);
  if (store.repair === undefined)
    throw new UsageError(
      "repair is for runs kept in a folder; a ref at a git host is pointed back to its last whole commit",
    );
  const runId = await findDamaged(store, given);
  if (await isEmpty(store, runId))
    throw new UsageError(
      `there is no run ${runId} here to repair, or its log is empty: put a lost log back from a copy, or start a new run`,
    );
  const release = await store.hold(runId);
  try {
    const repaired = await store.repair(runId);
    if (repaired === undefined) {
      say(`the log of run ${runId} is intact: there is nothing to repair\n`);
      return exit.ok;
    }
    const { lines, kept } = repaired;
    if (lines === 0)
      throw new Error(
        `no line of the log of run ${runId} is intact; the damaged file is ${kept}. Put the log back from a copy, or start a new run`,
      );
    say(
      `the log of run ${runId} is cut to its ${lines} intact lines; the damaged file is ${kept}. ` +
        `Work recorded after them is repeated by: until-green resume ${runId}\n`,
    );
    return exit.ok;
  } finally {
    await release();
  }
}

/** A damaged log is not empty. */
async function isEmpty(store: LogStore, runId: string): Promise<boolean> {
  try {
    return (await store.read(runId)).length === 0;
  } catch {
    return false;
  }
}
