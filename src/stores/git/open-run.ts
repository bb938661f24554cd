import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { bareRepository } from "../../git/bare-repository.ts";
import type { ObjectFormat } from "../../git/objects.ts";
import type { Remote } from "../../git/remote.ts";
import type { Json } from "../../ports/json.ts";
import type { Environment } from "../../processes/environment.ts";
import { type RunFolder, runFolder } from "./artifacts.ts";
import type { BufferedRun, PushSchedule } from "./buffered-run.ts";
import { gitLogHost, systemTimer } from "./log-host.ts";
import type { RunPush } from "./push.ts";
import { fetchNewCommits, type RemoteRun, spaces } from "./run-refs.ts";
import type { StateKey } from "./sign.ts";
import { userTempDir } from "./user-temp-dir.ts";

export interface GitRefOptions {
  /** A remote of the checkout, or a URL. */
  readonly remote: string;
  /** The remote of the checkout, if `remote` is its copy on this machine. */
  readonly copyOf?: string;
  readonly cwd: string;
  /** The checkout whose workspace is sent along; without it, only logs are sent. */
  readonly checkout?: { readonly gitDir: string; readonly objects: string; readonly format: ObjectFormat };
  /** The repository for a run's workspace snapshots. */
  snapshots?(runId: string): string;
  readonly environment: Environment;
  /** Values that must not leave this machine. */
  readonly secrets?: readonly string[];
  /** A token for the host; overrides the checkout's credentials. */
  readonly token?: string;
  /** The key that signs new records; unsigned records are rejected. */
  readonly stateKey?: string;
  /** Asks the host whether the repository had a path before it was renamed. */
  wasCalled?(path: string): Promise<boolean>;
  readonly rhythm?: PushSchedule;
  /** The longest silence in one exchange, and how long to retry while the host is unreachable; in milliseconds. */
  readonly timeoutMs?: number;
  readonly patienceMs?: number;
  /** For a command that only shows runs: if the host does not answer soon, it shows what this machine knows. */
  readonly forReading?: boolean;
  /** Aborts when this process must exit. */
  readonly stop?: AbortSignal;
  /** Receives notices for people. */
  notice?(text: string): void;
}

/** A run of a git-ref store in this process. */
export interface OpenGitRun {
  readonly record: RemoteRun;
  held: BufferedRun | undefined;
  /** Runs remote operations one at a time. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** What a push sends in addition to the lines. */
  baggage(): Pick<RunPush, "owner" | "sources" | "notice">;
  readonly folder: RunFolder;
  /** The status for the next append, and that of the last append. */
  described: Json | undefined;
  status: Json | undefined;
}

export async function openGitRun(options: GitRefOptions, remote: Remote, runId: string): Promise<OpenGitRun> {
  const dir = folderOf(options, remote, runId);
  const format = options.checkout?.format ?? "sha1";
  const gitDir = bareRepository(dir, "state.git", format);
  const record: RemoteRun = {
    runId,
    remote,
    dir,
    gitDir,
    host: gitLogHost(remote, gitDir, format),
    timer: systemTimer,
    format,
    space: spaces[0],
    looked: undefined,
    tip: undefined,
    work: undefined,
    lines: [],
    counts: new Map(),
    pending: [],
    undone: [],
    inFlight: undefined,
    key: stateKeyOf(options, remote),
  };
  const folder = runFolder(record, options.secrets ?? []);
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
  return {
    record,
    held: undefined,
    alone,
    baggage: () => ({
      owner: ownerOf(options.environment),
      sources: sourcesOf(options, runId),
      notice: options.notice ?? (() => undefined),
    }),
    folder: {
      ...folder,
      filled: () =>
        alone(async () => {
          if (record.looked === undefined) await fetchNewCommits(record);
          return await folder.filled();
        }),
    },
    described: undefined,
    status: undefined,
  };
}

/** Throws if a run is not open in this process. */
export function openedRun(opened: ReadonlyMap<string, OpenGitRun>, runId: string): OpenGitRun {
  const run = opened.get(runId);
  if (run === undefined) throw new Error(`run ${runId} is not open`);
  return run;
}

/** The key that signs and encrypts the records at a remote, if there is one. */
export const stateKeyOf = (
  { stateKey: secret, wasCalled }: Pick<GitRefOptions, "stateKey" | "wasCalled">,
  { repository }: Pick<Remote, "repository">,
): StateKey | undefined =>
  secret ? { secret, repository, formerly: new Set(), ...(wasCalled && { wasCalled }) } : undefined;

/** This machine's folder for a checkout and a remote. A machine may have several of both. */
export function folderOf(
  options: Omit<GitRefOptions, "remote">,
  remote: Pick<Remote, "name">,
  ...names: readonly string[]
): string {
  const { checkout, cwd, environment } = options;
  const key = createHash("sha256")
    .update(`${remote.name}\0${checkout?.gitDir ?? cwd}`)
    .digest("hex");
  return userTempDir(environment, key.slice(0, 16), ...names);
}

/** The object folders of the workspace and its snapshots. */
function sourcesOf({ checkout, snapshots }: GitRefOptions, runId: string): readonly string[] {
  if (checkout === undefined) return [];
  return [...(snapshots === undefined ? [] : [join(snapshots(runId), "objects")]), checkout.objects];
}

/** The writer, as text for people: the job, or the process. */
const ownerOf = ({ GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt = "1" }: Environment) =>
  run === undefined ? `process ${process.pid} on ${hostname()}` : `workflow run ${run}, attempt ${attempt}`;
