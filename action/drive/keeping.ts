import { join } from "node:path";
import {
  BadStoreNameError,
  type Checkout,
  findRepository,
  gitPlace,
  type LogStore,
  openStore,
  RemoteError,
} from "../../src/index.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";

/** Where the runs of this job are kept. */
export interface Keeping {
  readonly store: LogStore;
  readonly repository: Checkout | undefined;
  /** Whether a run is still there when the job is gone. */
  readonly lasts: boolean;
  /** The file it is kept in, where it is one: whoever goes on with it must be handed that. */
  readonly file?: string;
  /** What is on record of the run asked about. */
  readonly lines: readonly string[];
  /** Where each run's snapshots of the workspace are. */
  privateDir(runId: string): string;
}

interface Wanted {
  readonly run: string;
  readonly cwd: string;
  readonly inputs: Inputs;
}

/** Keeps runs at the git host the checkout came from, or on the runner's disk where there is none. */
export async function openKeeping({ run, cwd, inputs }: Wanted, job: Job): Promise<Keeping> {
  const repository = await findRepository(cwd);
  const here = await onDisk(run, job, repository);
  if (repository === undefined) return here;
  const { "github-token": own, "push-token": push, "allow-workflow-files": allowed } = inputs;
  // Only the latter can push workflow files.
  const token = allowed ? (push ?? own) : (own ?? push);
  const stateKey = inputs["state-key"] ?? (job.env["UNTIL_GREEN_STATE_KEY"] || undefined);
  const { privateDir } = here;
  const git = gitPlace({
    repository,
    privateDir,
    environment: job.env,
    secrets: job.secrets,
    token,
    stateKey,
    notice: (message) => job.log.annotate({ level: "notice", title: "until-green", message }),
  });
  const { store: spec = "git" } = inputs;
  const file = /^bundle:(.+)$/.exec(spec)?.[1];
  const store = openStore(spec, { cwd: job.workspace, directory: runsOf(job), git });
  if (file !== undefined) return { ...here, store, lasts: true, file, lines: await store.read(run) };
  try {
    // Reading shows whether the host lets us in; whether we may write there, the first claim will.
    return { ...here, store, lasts: true, lines: await store.read(run) };
  } catch (error) {
    if (error instanceof BadStoreNameError) return here;
    if (!(error instanceof RemoteError)) throw error;
    return onDiskInstead(here, error, job);
  }
}

/** The same on the runner's disk, said loudly: what cannot be kept at the host is gone with the job. */
export function onDiskInstead(keeping: Keeping, { message: because }: Error, job: Job): Keeping {
  const message = `${because}. Until then the run is kept on this runner only: once the job ends, nobody can go on with it.`;
  job.log.annotate({ level: "warning", title: "until-green: the run will not outlive this job", message });
  return { ...keeping, store: diskStore(job), lasts: false };
}

async function onDisk(run: string, job: Job, repository: Checkout | undefined): Promise<Keeping> {
  const store = diskStore(job);
  const lines = await store.read(run);
  const privateDir = (runId: string) => join(runsOf(job), runId, "workspace");
  return { store, repository, lasts: false, lines, privateDir };
}

const diskStore = (job: Job) => openStore(undefined, { cwd: job.workspace, directory: runsOf(job) });

/** The folder of runs that live as long as this job. */
export const runsOf = (job: Job): string => join(job.folder, "runs");
