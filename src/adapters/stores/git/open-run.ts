import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Json } from "../../../ports/json.ts";
import type { Environment } from "../../environment.ts";
import { type RunFolder, runFolder } from "./artifacts.ts";
import { bareRepository } from "./bare.ts";
import type { HeldRun, Rhythm } from "./held-run.ts";
import type { ObjectFormat } from "./objects.ts";
import { ownFolder } from "./own-folder.ts";
import type { Push } from "./push.ts";
import { catchUp, type RunRecord, spaces } from "./record.ts";
import type { Remote } from "./remote.ts";

export interface GitRefOptions {
  /** A remote of the checkout, or a URL. */
  readonly remote: string;
  readonly cwd: string;
  /** The checkout whose work travels; without one only logs do. */
  readonly checkout?: { readonly gitDir: string; readonly objects: string; readonly format: ObjectFormat };
  /** The repository that keeps a run's snapshots of the workspace. */
  snapshots?(runId: string): string;
  readonly environment: Environment;
  /** Values that must not leave this machine. */
  readonly secrets?: readonly string[];
  /** A token for the host, which wins over any key the checkout has. */
  readonly token?: string;
  /** Signs what is written; what somebody without it wrote is refused. */
  readonly stateKey?: string;
  readonly rhythm?: Rhythm;
  /** The longest one exchange may take, and how long to try again when nothing comes through; in milliseconds. */
  readonly timeoutMs?: number;
  readonly patienceMs?: number;
  /** Hears what people should know. */
  notice?(text: string): void;
}

/** A run of a git-ref store in this process. */
export interface OpenRun {
  readonly record: RunRecord;
  held: HeldRun | undefined;
  /** Runs one thing at a time at the remote. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** What a push takes along besides the lines. */
  baggage(): Pick<Push, "owner" | "sources" | "notice">;
  readonly folder: RunFolder;
  /** Where the run will stand with the lines appended next, and where it stands with those appended last. */
  described: Json | undefined;
  standing: Json | undefined;
}

export async function openRun(options: GitRefOptions, remote: Remote, runId: string): Promise<OpenRun> {
  const dir = folderOf(options, remote, runId);
  const format = options.checkout?.format ?? "sha1";
  const record: RunRecord = {
    runId,
    remote,
    dir,
    gitDir: bareRepository(dir, "state.git", format),
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
    key: options.stateKey,
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
          if (record.looked === undefined) await catchUp(record);
          return await folder.filled();
        }),
    },
    described: undefined,
    standing: undefined,
  };
}

/** Where this machine keeps what belongs to a checkout and a remote; a machine may have several of both. */
export function folderOf(
  options: Omit<GitRefOptions, "remote">,
  remote: Pick<Remote, "name">,
  ...names: readonly string[]
): string {
  const { checkout, cwd, environment } = options;
  const key = createHash("sha256")
    .update(`${remote.name}\0${checkout?.gitDir ?? cwd}`)
    .digest("hex");
  return ownFolder(environment, key.slice(0, 16), ...names);
}

/** Where the objects of the workspace and its snapshots are. */
function sourcesOf({ checkout, snapshots }: GitRefOptions, runId: string): readonly string[] {
  if (checkout === undefined) return [];
  return [...(snapshots === undefined ? [] : [join(snapshots(runId), "objects")]), checkout.objects];
}

/** In words for people: the job, or the process. */
const ownerOf = ({ GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt = "1" }: Environment) =>
  run === undefined ? `process ${process.pid} on ${hostname()}` : `workflow run ${run}, attempt ${attempt}`;
