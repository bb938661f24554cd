import type { BudgetAmount } from "./budget.ts";
import type { Json } from "./json.ts";

/**
 * Stores the event log of each run as lines of JSON, without parsing them.
 *
 * The log is the only durable state, so `append` is all or nothing: a line truncated by a kill does not count.
 */
export interface LogStore {
  /** The lines of a run after the first `after`, oldest first; none for an unknown run. Throws `BrokenLogError`. */
  read(runId: string, after?: number): Promise<readonly string[]>;
  /**
   * For stores with shared logs: all lines of a run for display, including those on this machine that are not pushed
   * yet. To append, use `read`.
   */
  preview?(runId: string): Promise<readonly string[]>;
  /**
   * Appends after exactly `after` lines. Throws `StaleLogError`, writing nothing, if another writer was first. The
   * lines survive the end of this process immediately, and a power failure once the next append or the release has
   * returned.
   */
  append(runId: string, after: number, lines: readonly string[]): Promise<void>;
  /** Locks the run for this process until released. Throws `RunLockedError` while another living process holds it. */
  hold(runId: string): Promise<() => Promise<void>>;
  /** For stores that know every process that may drive a run: true if one of them is alive and does. */
  isHeld?(runId: string): Promise<boolean>;
  /** Checks that there is room to record an answer before it is paid for; throws an error with a remedy if not. */
  probe?(runId: string): Promise<void>;
  /**
   * Truncates a damaged log to its last complete append, and keeps the damaged file; `undefined` if nothing is
   * damaged. Only on a person's request: whatever is cut off will be done again.
   */
  repair?(runId: string): Promise<{ readonly lines: number; readonly kept: string } | undefined>;
  /** The ids of all runs, newest first. */
  list(): Promise<readonly string[]>;
  /** A folder for the run's files beside its log; an absolute path, created on demand. */
  artifacts(runId: string): Promise<string>;
  /**
   * For stores that keep logs elsewhere: makes sure that appended lines have arrived there. The holder of a run may
   * append locally at once; a competing writer is reported here, in `append` or in `read`, as `StaleLogError`.
   */
  flush?(runId: string): Promise<void>;
  /**
   * For stores with shared logs: pushes pending lines before a long effect. Waits only briefly and ignores an
   * unreachable host.
   */
  settle?(runId: string): Promise<void>;
  /**
   * For stores with remote logs: true if this machine has lines of a run that may not be pushed yet. Makes no
   * request.
   */
  hasUnpushed?(runId: string): Promise<boolean>;
  /**
   * For stores with remote logs: throws `StaleLogError` if it knows that others appended after the first `after`
   * lines. Makes no request.
   */
  assertCurrent?(runId: string, after: number): Promise<void>;
  /** For stores with shared logs: attaches the run status to the next append, for readers who read only that. */
  describe?(runId: string, status: Json): void;
  /** The status attached to the last lines; `undefined` if there is none. */
  status?(runId: string): Promise<Json | undefined>;
  /**
   * For stores with shared logs: the records of many runs, in a constant number of requests; unknown runs are left
   * out.
   */
  readMany?(runIds: readonly string[]): Promise<ReadonlyMap<string, RecordedRun>>;
  /** For stores with remote logs: the latest recorded status of every run, without its log. */
  survey?(): Promise<readonly (Json | undefined)[]>;
  /** For stores with shared logs: deletes ended runs. Returns their ids. */
  prune?(retention: Retention): Promise<readonly string[]>;
  /** For stores with shared logs: the name by which other machines find a run opened here. */
  where?(runId: string): string | undefined;
  /** Why a run that has just been read has no lines, if this machine knew it before, with the remedy. */
  whyGone?(runId: string): string | undefined;
  /** True if there are traces of such a run here, although it may have no log. */
  hasTraces?(runId: string): boolean;
  /** For stores with signed logs: the last known remote commit of a run opened here, for others to keep. */
  mark?(runId: string): string | undefined;
  /** True if the log of a run opened here contains this commit; a log without it was rolled back. */
  hasMark?(runId: string, mark: string): boolean;
  /** For stores that several jobs write to: what the jobs of a fan-out have claimed of their shared budget. */
  readonly claims?: ClaimRecord;
  /** For stores with shared logs: transfers the workspace with the log. */
  readonly work?: SnapshotTransfer;
}

/** A run according to its latest lines. */
export interface RecordedRun {
  readonly status: Json | undefined;
  /** Why its log cannot be trusted, if so. */
  readonly damage?: BrokenLogError;
}

/** The claims of a fan-out; `of` is the id of the run whose items its jobs work on. */
export interface ClaimRecord {
  read(of: string): Promise<RecordedClaims>;
  /**
   * Replaces what was read. `false` if the result is uncertain, or if others wrote first: read again. Throws if it is
   * not allowed.
   */
  write(of: string, read: RecordedClaims, claims: Json): Promise<boolean>;
}

export interface RecordedClaims {
  /** Identifies the version that was read; `undefined` if there were no claims. */
  readonly version: string | undefined;
  readonly space: string;
  readonly claims: Json | undefined;
  /** The recorded spending of each item, by its number. */
  readonly jobs: ReadonlyMap<number, BudgetAmount & { readonly ended: boolean }>;
}

/** How long ended runs are kept. */
export interface Retention {
  /** Runs that ended before this time (ISO 8601) are deleted. */
  readonly endedBefore: string;
  /** If there are more runs than this, the oldest ended ones are deleted too. */
  readonly most: number;
}

/** Transfers workspace snapshots between machines, as the commits that the log names. */
export interface SnapshotTransfer {
  /** Sends the snapshot with the next append. */
  keep(runId: string, commit: string): void;
  /**
   * Calls `adopt` unless this machine's checkout was the last to create or adopt the snapshot. `fetch` fetches it
   * into the repository that stores the workspace's snapshots, which must exist by then.
   */
  bring(runId: string, commit: string, adopt: (fetch: () => Promise<void>) => Promise<void>): Promise<void>;
  /** Fetches the files of snapshots of any runs into the repository that stores this run's snapshots. */
  gather(runId: string, commits: readonly string[]): Promise<void>;
}

/** An invalid name of a store or a run: a usage error. */
export class BadStoreNameError extends Error {
  override readonly name = "BadStoreNameError";
}

/** Throws if a line could be read as several. */
export function assertWhole(lines: readonly string[]): void {
  if (lines.some((line) => line.includes("\n"))) throw new Error(brokenLine);
}

export const brokenLine = "a line of a log may not hold a line break";

/** Another writer appended first; read again. */
export class StaleLogError extends Error {
  override readonly name = "StaleLogError";
  /** Lines appended on this machine, in order, that are no longer recorded: append those that still apply again. */
  readonly undone: readonly string[];

  constructor(message: string, undone: readonly string[] = []) {
    super(message);
    this.undone = undone;
  }
}

/** The log is damaged, and the reader does not guess. The message names the run, the line and the damage. */
export class BrokenLogError extends Error {
  override readonly name = "BrokenLogError";
}

/** Another living process drives this run. */
export class RunLockedError extends Error {
  override readonly name = "RunLockedError";
}
