import { join } from "node:path";
import { git } from "../../git/git.ts";
import { NotThereError, type Remote, RemoteError } from "../../git/remote.ts";
import { fetchObjects } from "../../git/remote-calls.ts";
import type { SnapshotTransfer } from "../../ports/store.ts";
import { readRegularFile } from "../../processes/regular-file.ts";
import { replaceOwnFile } from "../../processes/replace-file.ts";
import { fetchCommits } from "./many-runs.ts";
import { type GitRefOptions, type OpenGitRun, openedRun } from "./open-run.ts";

interface Travel {
  readonly options: GitRefOptions;
  readonly opened: ReadonlyMap<string, OpenGitRun>;
  connect(): Promise<Remote>;
}

/** Sends workspace snapshots with the logs, and fetches them on the next machine. */
export function transferSnapshots({ options, opened, connect }: Travel): SnapshotTransfer {
  return {
    keep(runId, commit) {
      const run = openedRun(opened, runId);
      run.held?.keep(commit);
      // The log's line follows later: after a kill in between, the log ends at an earlier snapshot.
      const earlier = snapshotsHere(run).filter((one) => one !== commit);
      mark(run, [...earlier.slice(-mostMarked), commit]);
    },
    async bring(runId, commit, adopt) {
      const run = openedRun(opened, runId);
      if (snapshotsHere(run).includes(commit)) return;
      await adopt(() => run.alone(() => fetchSnapshot(run, options.snapshots?.(runId), commit)));
      mark(run, [commit]);
    },
    async gather(runId, commits) {
      const gitDir = options.snapshots?.(runId);
      if (gitDir === undefined)
        throw new Error(`the work of ${runId} needs a checkout, and there is none here`);
      await fetchCommits(await connect(), { gitDir, commits, options: ["--depth=1"] });
    },
  };
}

/**
 * How deep to fetch: a loop restores protected files from its first snapshot, and its best work from any of them. At
 * most as many as the log names; if several loops were joined, each snapshot may have a merge above it.
 */
function depthOf({ record }: OpenGitRun, isOneChain: boolean): number {
  const named = record.lines.flatMap((line) => [...line.matchAll(/"commit":"([0-9a-f]{40,64})"/g)]);
  const snapshots = new Set(named.map(([, commit]) => commit)).size;
  return Math.max(1, isOneChain ? snapshots : 2 * snapshots);
}

async function fetchSnapshot(run: OpenGitRun, gitDir: string | undefined, commit: string): Promise<void> {
  const { remote, runId, work = commit } = run.record;
  if (gitDir === undefined)
    throw new Error(`run ${runId} needs a checkout to resume, and there is none here`);
  const depth = depthOf(run, work === commit);
  const what = [...new Set([commit, work])];
  try {
    await fetchObjects(remote, { gitDir, what, options: [`--depth=${depth}`] });
  } catch (error) {
    if (!(error instanceof NotThereError)) throw error;
    // Created here, but never pushed.
    if (!(await isHere(gitDir, commit))) throw lost(runId, commit, error);
  }
}

async function isHere(gitDir: string, commit: string): Promise<boolean> {
  const args = ["rev-list", "--objects", "--quiet", "--max-count=1", commit];
  return (await git({ cwd: gitDir, args, accept: [0, 1, 128] })).code === 0;
}

const lost = (runId: string, commit: string, { message }: NotThereError) =>
  new RemoteError(
    `${message}; without snapshot ${commit} the workspace of run ${runId} cannot be restored here: ` +
      "resume it on the machine that ran it last",
  );

/** Maximum number of earlier snapshots in the mark: more than one append can record, even with parallel nodes. */
const mostMarked = 99;

const markOf = ({ record }: OpenGitRun) => join(record.dir, "work-here");

/** The last snapshots of this machine's checkout. A later job has a different checkout. */
export function snapshotsHere(run: OpenGitRun): readonly string[] {
  return (readRegularFile(markOf(run)) ?? "").split("\n").filter(Boolean);
}

/** Replaced as a whole: with half a mark, a resume would reset the checkout and lose the agent's latest changes. */
function mark(run: OpenGitRun, commits: readonly string[]): void {
  replaceOwnFile(markOf(run), `${commits.join("\n")}\n`);
}
