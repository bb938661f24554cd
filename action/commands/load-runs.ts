import { gitWorkspace, RemoteError, readBranches, readExcludedPaths } from "../../src/api/publishing.ts";
import {
  endSignal,
  type LogStore,
  parseRunStatus,
  type RecordedRun,
  type RunStatus,
} from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubContext } from "../job/github-context.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { few } from "../job/workflow-commands.ts";
import { snapshotsOf } from "../publish/publish-context.ts";
import type { Work } from "../publish/work.ts";
import { whyRolledBack } from "../run/detect-rollback.ts";
import { openStoreOfJob } from "../run/open-store.ts";

/** The record of another job's run. */
export interface LoadedRun {
  readonly run: string;
  readonly status: RunStatus;
}

/** A run whose work is not in the publication, and why. */
export interface Missing {
  readonly run: string;
  readonly reason: string;
}

export interface LoadedRuns {
  readonly store: LogStore;
  /** False without the key of encrypted records: then only their signed statuses can be read. */
  readonly isReadable: boolean;
  readonly kept: readonly LoadedRun[];
  readonly missing: readonly Missing[];
  privateDir(runId: string): string;
}

interface LoadRequest {
  readonly cwd: string;
  readonly inputs: Inputs;
  readonly site: GitHubContext;
}

/** Finds runs that have stopped, all with the same few requests. */
export async function loadRuns(
  runs: readonly string[],
  { cwd, inputs, site }: LoadRequest,
  job: Job,
): Promise<LoadedRuns> {
  const { store, privateDir, isReadable } = await openStoreOfJob({ cwd, inputs }, job);
  const recorded = await recordsOf(store, runs);
  const read = runs.map((run) => readRun(run, recorded.get(run)));
  const isSigned = isReadable === false;
  const trusted = isSigned ? await notRolledBack(read, { store, inputs, site }) : read;
  return {
    store,
    isReadable: isReadable !== false,
    privateDir,
    kept: trusted.filter((one): one is LoadedRun => "status" in one),
    missing: trusted.filter((one): one is Missing => "reason" in one),
  };
}

/** The runs whose signed record was not rolled back; a few at a time, because each check asks GitHub. */
async function notRolledBack(
  read: readonly (LoadedRun | Missing)[],
  place: Omit<LoadRequest, "cwd"> & { readonly store: LogStore },
): Promise<readonly (LoadedRun | Missing)[]> {
  const loaded: (LoadedRun | Missing)[] = [];
  for (let at = 0; at < read.length; at += atOnce) {
    const loads = read.slice(at, at + atOnce).map(async (one) => {
      if ("reason" in one) return one;
      const { run, status } = one;
      const { workflow } = status.summary;
      const reason = await whyRolledBack({ run, workflow, before: status, ...place });
      return reason === undefined ? one : { run, reason };
    });
    loaded.push(...(await Promise.all(loads)));
  }
  return loaded;
}

const atOnce = 8;

async function recordsOf(
  store: LogStore,
  runs: readonly string[],
): Promise<ReadonlyMap<string, RecordedRun>> {
  try {
    return (await store.readMany?.(runs)) ?? new Map();
  } catch (error) {
    if (error instanceof RemoteError) throw new RefusedError(error.message);
    throw error;
  }
}

function readRun(run: string, recorded: RecordedRun | undefined): LoadedRun | Missing {
  if (recorded?.damage !== undefined) return { run, reason: recorded.damage.message };
  const status = parseRunStatus(recorded?.status);
  if (status === undefined)
    return {
      run,
      reason: `there is no run ${run} in this repository: check \`run-id\`, and that the job that ran it has \`permissions: contents: write\``,
    };
  if (status.summary.run !== run) return { run, reason: `the record of run ${run} belongs to another run` };
  if (status.summary.state !== "running") return { run, status };
  return {
    run,
    reason: `run ${run} is still running: publish it in a job that \`needs\` the job that runs it`,
  };
}

/** The checkout of a job. */
export interface Checkout {
  readonly cwd: string;
  readonly job: Job;
}

/**
 * Fetches the last snapshots of several runs at once into the private repository of the first one; the checkout is
 * unchanged. A problem with one run's work, such as a secret in it, does not prevent the others from being published.
 */
export async function fetchWork(
  { store, privateDir }: LoadedRuns,
  runs: readonly LoadedRun[],
  { cwd, job }: Checkout,
): Promise<{ readonly works: readonly Work[]; readonly missing: readonly Missing[] }> {
  const [first] = runs;
  if (first === undefined) return { works: [], missing: [] };
  const { head } = await readBranches(cwd);
  const context = { runId: first.run, signal: endSignal, workspace: cwd };
  const message = "before publishing";
  await gitWorkspace({ privateDir }).handle({ op: "snapshot", since: undefined, message }, context);
  const gitDir = snapshotsOf(job, first.run);
  const finals = runs.map(({ status }) => status.work ?? "");
  await store.work?.gather(first.run, finals);
  const withheld = await readExcludedPaths(gitDir, finals);
  const works = runs.map(({ run, status }, at): Work | Missing => {
    const base = status.origin?.checkout ?? status.origin?.head ?? head;
    const keyed = withheld[at] ?? [];
    if (base === undefined) return { run, reason: noCheckout };
    if (keyed.length > 0) return { run, reason: withoutKeys(run, keyed) };
    return { summary: status.summary, gitDir, base, iterations: [], final: finals[at] ?? "" };
  });
  return {
    works: works.filter((one): one is Work => "final" in one),
    missing: works.filter((one): one is Missing => "reason" in one),
  };
}

const noCheckout = "there is nothing to publish from: check the repository out with actions/checkout";

const withoutKeys = (run: string, paths: readonly string[]) =>
  `the work of run ${run} is incomplete: a key or a token was found in ${few(paths)}, so nothing is published; remove it and rotate the key`;
