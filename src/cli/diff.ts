import { git } from "../git/git.ts";
import { type ExitCode, exit } from "./exit.ts";
import { findRun } from "./find-run.ts";
import { snapshotsOf, withSnapshotErrors } from "./iteration-snapshots.ts";
import type { CommonOptions } from "./options.ts";
import { print } from "./print.ts";
import { findLocation } from "./run-environment.ts";

interface DiffOptions extends CommonOptions {
  readonly node?: string;
  readonly stat?: boolean;
}

/** `until-green diff RUN [N] [M]`: shows what the run, one iteration, or the iterations after N up to M changed. */
export async function diffCommand(
  id: string | undefined,
  [from, to = from]: readonly number[],
  options: DiffOptions,
): Promise<ExitCode> {
  const location = await findLocation(options);
  const runId = await findRun(location.store, id);
  const snapshots = await snapshotsOf(location, runId, options.node);
  const ends =
    from === undefined || to === undefined
      ? { from: snapshots.first, to: snapshots.last }
      : snapshots.between(from, to);
  const colour = process.stdout.isTTY ? "--color=always" : "--color=never";
  const shown = options.stat ? "--stat" : "--patch";
  const { gitDir } = snapshots;
  const args = ["diff", colour, shown, "--no-ext-diff", "--no-textconv", ends.from, ends.to];
  const { out } = await withSnapshotErrors(runId, gitDir, () =>
    git({ cwd: location.cwd, args, env: { GIT_DIR: gitDir } }),
  );
  print(Buffer.from(out, "latin1").toString("utf8"));
  return exit.ok;
}
