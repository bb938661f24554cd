import { join } from "node:path";
import { type Checkout, findRepository, RemoteError } from "../../src/api/publishing.ts";
import {
  BadStoreNameError,
  cleanAfterKill,
  endSignal,
  gitStoreOptions,
  type LogStore,
  openStore,
  parseRunStatus,
  type RunStatus,
  refuseLink,
} from "../../src/api/runs.ts";
import { hostOf } from "../github/host.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";

/** The store for this job's runs. */
export interface OpenedStore {
  readonly store: LogStore;
  readonly repository: Checkout | undefined;
  /** True if runs are kept after the job. */
  readonly lasts: boolean;
  /** True if everyone who can read the repository can read the messages of a run. */
  readonly isReadable?: boolean;
  /** The file with the run, if it is stored in one: the next job needs it. */
  readonly file?: string;
  /** The recorded events of the requested run. */
  readonly lines: readonly string[];
  /** The folder of each run's workspace snapshots. */
  privateDir(runId: string): string;
}

interface StoreRequest {
  readonly run: string;
  readonly cwd: string;
  readonly inputs: Inputs;
}

/** Stores runs at the checkout's git host, or on the runner's disk if there is none. */
export async function openRunStore({ run, cwd, inputs }: StoreRequest, job: Job): Promise<OpenedStore> {
  const opened = await openStoreOfJob({ cwd, inputs }, job);
  const here = { ...opened, store: diskStore(job), lasts: false, isReadable: false };
  const onDisk = async () => ({ ...here, lines: await here.store.read(run) });
  if (!opened.lasts) return await onDisk();
  if (opened.file !== undefined) return { ...opened, lines: await opened.store.read(run) };
  try {
    // A read shows whether the host accepts the token; the first claim shows whether it may write.
    return { ...opened, lines: await opened.store.read(run) };
  } catch (error) {
    if (error instanceof BadStoreNameError) return onDiskInstead(await onDisk(), noRemote, job);
    if (!(error instanceof RemoteError)) throw error;
    return onDiskInstead(await onDisk(), error, job);
  }
}

const noRemote = new Error("the checkout has no remote `origin`, which `actions/checkout` sets");

/** The recorded status of a run; `undefined` if there is none. */
export async function statusOf(
  run: string,
  where: Omit<StoreRequest, "run">,
  job: Job,
): Promise<RunStatus | undefined> {
  const { store } = await openRunStore({ run, ...where }, job);
  return parseRunStatus(await store.status?.(run));
}

/** The same store without anything read. */
export async function openStoreOfJob(
  { cwd, inputs }: Omit<StoreRequest, "run">,
  job: Job,
): Promise<Omit<OpenedStore, "lines">> {
  for (const folder of [job.folder, runsOf(job)]) refuseLink(folder);
  const repository = await findRepository(cwd);
  const privateDir = (runId: string) => join(runsOf(job), runId, "workspace");
  if (repository === undefined) return { store: diskStore(job), repository, lasts: false, privateDir };
  const notice = (message: string) => job.log.annotate(annotation("notice", message));
  await cleanAfterKill(repository.gitDir, notice, "waits");
  const { "github-token": own, "push-token": push, "allow-workflow-files": allowed } = inputs;
  // Only a token of that kind can push workflow files.
  const token = allowed ? (push ?? own) : (own ?? push);
  const stateKey = inputs["state-key"] ?? (job.env["UNTIL_GREEN_STATE_KEY"] || undefined);
  const { wasCalled } = hostOf(job, inputs);
  const git = gitStoreOptions({
    repository,
    privateDir,
    environment: job.env,
    secrets: job.secrets,
    token,
    stateKey,
    ...(wasCalled && { wasCalled }),
    stop: endSignal,
    notice,
  });
  const { store: spec = "git" } = inputs;
  const file = /^bundle:(.+)$/.exec(spec)?.[1];
  // With `path:` of actions/checkout, the repository is below the job's workspace.
  const base = file === undefined ? repository.top : job.workspace;
  const store = openStore(spec, { cwd: base, directory: runsOf(job), git });
  const opened = { store, repository, lasts: true, privateDir };
  return file === undefined ? { ...opened, isReadable: stateKey === undefined } : { ...opened, file };
}

/** The same on the runner's disk, with a warning that the run is lost after the job. */
export function onDiskInstead(keeping: OpenedStore, { message: because }: Error, job: Job): OpenedStore {
  const message = `${because}. Until then the run is kept on this runner only and cannot be resumed after the job.`;
  job.log.annotate(annotation("warning", message, "the run is lost when this job ends"));
  return { ...keeping, store: diskStore(job), lasts: false, isReadable: false };
}

const diskStore = (job: Job) => openStore(undefined, { cwd: job.workspace, directory: runsOf(job) });

/** The folder for runs that are not kept after the job. */
export const runsOf = (job: Job): string => join(job.folder, "runs");
