import { gitWorkspace } from "../workspace/workspace.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { findRestorable } from "./find-run.ts";
import { snapshotsOf, withSnapshotErrors } from "./iteration-snapshots.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";
import { findLocation, type StoreLocation } from "./run-environment.ts";

/**
 * `until-green restore [RUN] N`: restores the files of the checkout as they were after an iteration, or with 0 before the first; the current ones
 * are kept in a snapshot.
 */
export async function restoreCommand(
  args: readonly string[],
  options: CommonOptions & { readonly node?: string },
): Promise<ExitCode> {
  const location = await findLocation(options);
  // The number of an iteration, or the commit of a snapshot.
  const isWanted = (word = "") => /^(?:\d{1,5}|[0-9a-f]{40,64})$/.test(word);
  const runAndTarget = args.length === 1 && isWanted(args[0]) ? [undefined, ...args] : args;
  const [run, what = "", ...others] = runAndTarget;
  const runId = await findRestorable(location.store, run);
  if (!isWanted(what) || others.length > 0)
    throw new UsageError(`restore takes the number of an iteration, as in until-green restore ${runId} 1`);
  const snapshots = await snapshotsOf(location, runId, options.node);
  const isNumber = what.length <= 5;
  const commit = isNumber ? snapshots.after(Number(what)) : what;
  // Refused while the run works in this checkout: an agent would lose its changes.
  const release = await location.store.hold(runId);
  const before = await withSnapshotErrors(runId, snapshots.gitDir, () =>
    putBack(location, runId, commit),
  ).finally(release);
  const undo =
    before.commit === undefined ? "" : `; undo with: until-green restore ${runId} ${before.commit}`;
  const iteration = Number(what) === 0 ? "before iteration 1" : `after iteration ${what}`;
  if (!options.quiet)
    say(`restored the files as they were ${isNumber ? iteration : `in ${what}`} of ${runId}${undo}\n`);
  return exit.ok;
}

/** Restores a snapshot's files into the checkout; returns a snapshot of the previous ones. */
async function putBack({ privateDir, cwd }: StoreLocation, runId: string, commit: string) {
  const workspace = gitWorkspace({ privateDir });
  const context = { runId, workspace: cwd, signal: new AbortController().signal };
  const before = await workspace.handle(
    { op: "snapshot", since: undefined, message: "before restore" },
    context,
  );
  await workspace.handle({ op: "restore", commit }, context);
  return before;
}
