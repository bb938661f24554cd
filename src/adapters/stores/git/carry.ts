import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkCarrier } from "../../../ports/store.ts";
import type { GitRefOptions, OpenRun } from "./open-run.ts";
import { fetchObjects } from "./remote.ts";

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
          await fetchObjects(run.record.remote, { gitDir, what: [commit], options: ["--depth=1"] });
        }),
      );
      writeFileSync(mark, commit);
    },
  };
}

/** Names the snapshot this machine's checkout came from last: elsewhere, and in a later job, the checkout is another. */
const markOf = ({ record }: OpenRun) => join(record.dir, "work-here");
