import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkCarrier } from "../../../ports/store.ts";
import type { GitRefOptions, OpenRun } from "./open-run.ts";
import { fetchObjects } from "./remote-calls.ts";

/** Takes snapshots of the workspace along with the logs, and brings them to the next machine. */
export function carryWork(
  options: GitRefOptions,
  opened: { get(runId: string): OpenRun | undefined },
): WorkCarrier {
  return {
    keep(runId, commit) {
      const run = opened.get(runId);
      if (run === undefined) throw new Error(`run ${runId} is not open`);
      run.held?.keep(commit);
      writeFileSync(markOf(run), commit);
    },
    async bring(runId, commit, adopt) {
      const run = opened.get(runId);
      if (run === undefined) throw new Error(`run ${runId} is not open`);
      const mark = markOf(run);
      if (existsSync(mark) && readFileSync(mark, "utf8") === commit) return;
      await adopt(() =>
        run.alone(async () => {
          const gitDir = options.snapshots?.(runId);
          if (gitDir === undefined)
            throw new Error(`there is no checkout here in which run ${runId} could go on`);
          const { remote, work = commit } = run.record;
          const depth = depthOf(run, work === commit);
          await fetchObjects(remote, {
            gitDir,
            what: [...new Set([commit, work])],
            options: [`--depth=${depth}`],
          });
        }),
      );
      writeFileSync(mark, commit);
    },
  };
}

/**
 * How far back the snapshots go: a loop puts protected files back from its first one, and its best from any. As many as
 * the log names stand below each other at most; where loops' snapshots are joined there is a join above each.
 */
function depthOf({ record }: OpenRun, isOneChain: boolean): number {
  const named = record.lines.flatMap((line) => [...line.matchAll(/"commit":"([0-9a-f]{40,64})"/g)]);
  const snapshots = new Set(named.map(([, commit]) => commit)).size;
  return Math.max(1, isOneChain ? snapshots : 2 * snapshots);
}

/** Names the snapshot this machine's checkout came from last: elsewhere, and in a later job, the checkout is another. */
const markOf = ({ record }: OpenRun) => join(record.dir, "work-here");
