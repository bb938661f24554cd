import type { BudgetAmount } from "./budget.ts";
import type { Json } from "./json.ts";

/**
 * Keeps the event log of each run as lines of JSON, without parsing them.
 *
 * The log is the only durable state, so `append` is all or nothing: a line torn by a kill never happened.
 */
export interface LogStore {
  /** The lines of a run after the first `after`, oldest first; none for an unknown run. Throws `BrokenLogError`. */
  read(runId: string, after?: number): Promise<readonly string[]>;
  /**
   * For stores whose logs travel: all lines of a run for people to look at, also those that wait on this machine to be
   * pushed. Who wants to append reads with `read`.
   */
  preview?(runId: string): Promise<readonly string[]>;
  /**
   * Appends after exactly `after` lines. Throws `StaleLogError`, writing nothing, if another writer was first. The
   * lines survive this process at once, and a power cut once the next append or the release has returned.
   */
  append(runId: string, after: number, lines: readonly string[]): Promise<void>;
  /** Locks the run for this process until released. Throws `RunLockedError` while another living process holds it. */
  hold(runId: string): Promise<() => Promise<void>>;
  /** For stores that know every process that may drive a run: true if a living one does. */
  isHeld?(runId: string): Promise<boolean>;
  /**
   * Checks that there is room to record an answer before it is paid for; throws an error with a remedy if there is
   * none.
   */
  probe?(runId: string): Promise<void>;
  /**
   * Cuts a damaged log to its last whole append, keeping the damaged file; `undefined` if nothing is damaged. For a
   * person to ask for: what is cut off will be done again.
   */
  repair?(runId: string): Promise<{ readonly lines: number; readonly kept: string } | undefined>;
  /** The ids of all runs, newest first. */
  list(): Promise<readonly string[]>;
  /** A folder for the run's files beside its log; an absolute path, created on demand. */
  artifacts(runId: string): Promise<string>;
  /**
   * For stores that keep logs elsewhere: makes sure that appended lines have arrived there. The holder of a run may
   * append locally at once; a competing writer shows here, in `append` or in `read`, as `StaleLogError`.
   */
  flush?(runId: string): Promise<void>;
  /**
   * For stores whose logs travel: before a long effect, sends what is due. Waits only briefly and ignores an
   * unreachable host.
   */
  settle?(runId: string): Promise<void>;
  /** For stores of remote logs: whether this machine has lines of a run that may not be there yet. Makes no request. */
  hasUnpushed?(runId: string): Promise<boolean>;
  /**
   * For stores of remote logs: throws `StaleLogError` if it knows that others appended after the first `after` lines.
   * Makes no request.
   */
  assertCurrent?(runId: string, after: number): Promise<void>;
  /** For stores whose logs travel: attaches the run status to the next append, for readers who read only that. */
  describe?(runId: string, status: Json): void;
  /** The status attached to the last lines; `undefined` if there is none. */
  status?(runId: string): Promise<Json | undefined>;
  /** For stores whose logs travel: what is recorded of many runs, in a constant number of exchanges; unknown ones are left out. */
  readMany?(runIds: readonly string[]): Promise<ReadonlyMap<string, RecordedRun>>;
  /** For stores of remote logs: the newest recorded status of every run, without its log. */
  survey?(): Promise<readonly (Json | undefined)[]>;
  /** For stores whose logs travel: deletes runs that have ended. Returns their ids. */
  prune?(retention: Retention): Promise<readonly string[]>;
  /** For stores whose logs travel: the id by which other machines find a run opened here. */
  where?(runId: string): string | undefined;
  /** What became of a run that has just been read and has no lines, if this machine knew it, and the remedy. */
  whyGone?(runId: string): string | undefined;
  /** For stores whose logs are signed: the last commit known there of a run opened here, for others to keep. */
  mark?(runId: string): string | undefined;
  /** Whether the log of a run opened here has such a commit; a log that lacks it was moved back. */
  hasMark?(runId: string, mark: string): boolean;
  /** For stores that several jobs write to: what the jobs of a fan-out have claimed of the budget that they share. */
  readonly claims?: ClaimRecord;
  /** For stores whose logs travel: takes the workspace along. */
  readonly work?: SnapshotTransfer;
}

/** A run as its newest lines describe it. */
export interface RecordedRun {
  readonly status: Json | undefined;
  /** Why its log cannot be believed, if it cannot. */
  readonly damage?: BrokenLogError;
}

/** The claims of a fan-out; `of` is the id of the run whose items its jobs work on. */
export interface ClaimRecord {
  read(of: string): Promise<RecordedClaims>;
  /** Replaces what was read. `false` if that is uncertain, or others wrote first: read again. Throws if it may not. */
  write(of: string, read: RecordedClaims, claims: Json): Promise<boolean>;
}

export interface RecordedClaims {
  /** Names what was read; `undefined` if there were no claims. */
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
  /** Sends the snapshot along with the next append. */
  keep(runId: string, commit: string): void;
  /**
   * Calls `adopt` unless this machine's checkout was the last to make or adopt the snapshot. `fetch` brings it into
   * the repository that keeps the workspace's snapshots, which must exist by then.
   */
  bring(runId: string, commit: string, adopt: (fetch: () => Promise<void>) => Promise<void>): Promise<void>;
  /** Fetches the files of many snapshots, whichever runs they are of, into the repository that keeps this run's. */
  gather(runId: string, commits: readonly string[]): Promise<void>;
}

/** Not a valid name for a store or a run: bad usage. */
export class BadStoreNameError extends Error {
  override readonly name = "BadStoreNameError";
}

/** Another writer appended first; read again. */
export class StaleLogError extends Error {
  override readonly name = "StaleLogError";
  /** Lines appended on this machine, in order, that are no longer recorded: append those again that still apply. */
  readonly undone: readonly string[];

  constructor(message: string, undone: readonly string[] = []) {
    super(message);
    this.undone = undone;
  }
}

/** The log is damaged. Refused, never guessed at. The message names the run, the line and the damage. */
export class BrokenLogError extends Error {
  override readonly name = "BrokenLogError";
}

/** Another living process drives this run. */
export class RunLockedError extends Error {
  override readonly name = "RunLockedError";
}
