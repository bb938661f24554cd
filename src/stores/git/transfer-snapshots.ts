import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Remote } from "../../git/remote.ts";
import { fetchObjects } from "../../git/remote-calls.ts";
import type { SnapshotTransfer } from "../../ports/store.ts";
import { fetchCommits } from "./many-runs.ts";
import type { GitRefOptions, OpenGitRun } from "./open-run.ts";

interface Travel {
  readonly options: GitRefOptions;
  readonly opened: { get(runId: string): OpenGitRun | undefined };
  reach(): Promise<Remote>;
}

/** Sends workspace snapshots along with the logs, and fetches them on the next machine. */
export function transferSnapshots({ options, opened, reach }: Travel): SnapshotTransfer {
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
            throw new Error(`run ${runId} needs a checkout to resume, and there is none here`);
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
    async gather(runId, commits) {
      const gitDir = options.snapshots?.(runId);
      if (gitDir === undefined)
        throw new Error(`the work of ${runId} needs a checkout, and there is none here`);
      await fetchCommits(await reach(), { gitDir, commits, options: ["--depth=1"] });
    },
  };
}

/**
 * How deep to fetch: a loop restores protected files from its first snapshot, and its best from any. At most as many
 * as the log names; joined loops add a join above each.
 */
function depthOf({ record }: OpenGitRun, isOneChain: boolean): number {
  const named = record.lines.flatMap((line) => [...line.matchAll(/"commit":"([0-9a-f]{40,64})"/g)]);
  const snapshots = new Set(named.map(([, commit]) => commit)).size;
  return Math.max(1, isOneChain ? snapshots : 2 * snapshots);
}

/** The snapshot this machine's checkout came from last: in a later job the checkout is another one. */
const markOf = ({ record }: OpenGitRun) => join(record.dir, "work-here");
