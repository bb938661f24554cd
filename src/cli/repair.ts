import { type ExitCode, exit, UsageError } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";
import { findLocation } from "./run-environment.ts";

/** `until-green repair`: cuts a damaged log to its last whole line, so that the run can be resumed. */
export async function repairCommand(runId: string, options: CommonOptions): Promise<ExitCode> {
  const { store } = await findLocation(options);
  if (store.repair === undefined)
    throw new UsageError(
      "repair is for runs kept in a folder; a ref at a git host is pointed back to its last whole commit",
    );
  const release = await store.hold(runId);
  try {
    const repaired = await store.repair(runId);
    say(
      repaired === undefined
        ? `the log of run ${runId} is whole: there is nothing to repair\n`
        : `the log of run ${runId} is cut to its ${repaired.lines} whole lines; the damaged file is ${repaired.kept}. ` +
            `Work recorded after them is repeated by: until-green resume ${runId}\n`,
    );
    return exit.ok;
  } finally {
    await release();
  }
}
