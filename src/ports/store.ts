import type { Json } from "./json.ts";

/**
 * Keeps the log of each run as lines of JSON, and knows nothing of what they say.
 *
 * The log is the only durable state there is, so `append` is all or nothing: a line that a kill tore never happened.
 */
export interface LogStore {
  /** The lines of a run after the first `after`, oldest first; none for a run never written. Throws `BrokenLogError`. */
  read(runId: string, after?: number): Promise<readonly string[]>;
  /**
   * Appends after exactly `after` lines; throws `StaleLogError`, writing nothing, if another writer got there first. The
   * lines outlive this process at once; a power cut when the next append, or the release of the run, has gone well.
   */
  append(runId: string, after: number, lines: readonly string[]): Promise<void>;
  /** Takes the run for this process until released; throws `RunHeldError` while another living process has it. */
  hold(runId: string): Promise<() => Promise<void>>;
  /** Of a store that knows all who may drive its runs: whether a living process has this one. */
  isHeld?(runId: string): Promise<boolean>;
  /** The ids of all runs kept, newest first. */
  list(): Promise<readonly string[]>;
  /** A folder for the run's files beside its log; an absolute path, made if need be. */
  artifacts(runId: string): Promise<string>;
  /**
   * Of a store that keeps logs elsewhere: sees what was appended safely there. Who holds a run may append at once, on
   * this machine; whether another writer came first shows here, in `append` or in `read`, as a `StaleLogError`.
   */
  flush?(runId: string): Promise<void>;
  /**
   * Of a store whose logs travel: before something long begins, sees that what waits is taken along if its time has come.
   * Waits for that a moment only, and is silent where it cannot be.
   */
  settle?(runId: string): Promise<void>;
  /** Of a store whose logs travel: where the run stands goes along with the lines appended next, for those who read only that. */
  describe?(runId: string, standing: Json): void;
  /** What was described with the last lines, by whoever wrote them; `undefined` where nothing was. */
  standing?(runId: string): Promise<Json | undefined>;
  /** Of a store whose logs travel: deletes runs that have ended; answers which. */
  prune?(retention: Retention): Promise<readonly string[]>;
  /** Of a store whose logs travel: the name under which a run that was opened here is found elsewhere. */
  where?(runId: string): string | undefined;
  /** Of a store whose logs travel: takes the workspace along. */
  readonly work?: WorkCarrier;
}

/** How long runs that have ended are kept. */
export interface Retention {
  /** What ended before this (ISO 8601) goes. */
  readonly endedBefore: string;
  /** Where there are more runs than this, the oldest that have ended go too. */
  readonly most: number;
}

/** Carries snapshots of the workspace from one machine to the next, as the commits that the log names. */
export interface WorkCarrier {
  /** The snapshot goes along with the lines appended next. */
  keep(runId: string, commit: string): void;
  /**
   * Calls `adopt` unless the checkout on this machine was the last to make or adopt the snapshot. `fetch` brings it into
   * the repository that keeps the workspace's snapshots, which must be there by then.
   */
  bring(runId: string, commit: string, adopt: (fetch: () => Promise<void>) => Promise<void>): Promise<void>;
}

/** A name by which there can be no store or no run: bad usage. */
export class BadStoreNameError extends Error {
  override readonly name = "BadStoreNameError";
}

/** Another writer appended first; read again. */
export class StaleLogError extends Error {
  override readonly name = "StaleLogError";
  /** Lines that had been appended on this machine, in order, and are on no record now: append what of them still holds. */
  readonly undone: readonly string[];

  constructor(message: string, undone: readonly string[] = []) {
    super(message);
    this.undone = undone;
  }
}

/** The log is damaged: refused, never guessed at. The message names the run, the line and what is wrong. */
export class BrokenLogError extends Error {
  override readonly name = "BrokenLogError";
}

/** Another living process drives this run. */
export class RunHeldError extends Error {
  override readonly name = "RunHeldError";
}
