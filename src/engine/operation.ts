import type { Answer, Ask, Port } from "../ports/effects.ts";
import type { Outcome } from "./outcome.ts";
import type { FailureReason, RunEventBody } from "./run-events.ts";
import type { RunTotals } from "./run-totals.ts";

// F1  An operation is pure: no I/O, no clock, no randomness. Run twice over the same events it ends the same.
// F2  Every effect has a path, and within a run a path names one effect for ever.
// F3  Only the engine drives an operation; only the runner performs an effect.
// F4  The log only grows.

/** One request that the run cannot continue without. Its path is the place in the run where it arose. */
export type Effect = {
  [P in Port]: {
    readonly port: P;
    readonly path: string;
    readonly ask: Ask<P>;
    /** The checkout it applies to, if not the run's own; an absolute path. */
    readonly in?: string;
    /** Other agents attempt the same work: if this agent's key is missing, only this attempt ends. */
    readonly hasOthers?: true;
  };
}[Port];

/** Several operations in parallel, each started once those named in `after` have ended. */
export interface Parallel<T> {
  readonly branches: readonly Branch<T>[];
  /** Maximum number that run at a time. */
  readonly atMost: number;
  /** If set, ready branches start in list order; otherwise in the order in which they became ready. */
  readonly inOrder?: boolean | undefined;
  /** If it returns true for an ended branch, no further branch starts. */
  readonly enough?: (value: T) => boolean;
  /** The event, if any, for a branch that never starts because the run ends early. */
  readonly never?: (id: string) => RunEventBody | undefined;
}

export interface Branch<T> {
  readonly id: string;
  readonly after: readonly string[];
  begin(ended: ReadonlyMap<string, T>): Operation<T>;
}

/**
 * What an operation may yield: an effect, parallel operations, a run event, the run totals, a wait, the end of the
 * run.
 */
export type Instruction =
  | { readonly step: "perform"; readonly effect: Effect }
  // biome-ignore lint/suspicious/noExplicitAny: a session moves values of branches it does not know
  | { readonly step: "parallel"; readonly parallel: Parallel<any> }
  | { readonly step: "emit"; readonly event: RunEventBody }
  | { readonly step: "totals" }
  | { readonly step: "suspend" }
  | { readonly step: "end"; readonly outcome: Outcome };

// biome-ignore lint/suspicious/noExplicitAny: the received value depends on the yielded one; see the functions below
export type Operation<T> = Generator<Instruction, T, any>;

/** Thrown inside an operation if an effect can never succeed; the caller decides what that means. */
export class EffectFailedError extends Error {
  override readonly name = "EffectFailedError";
  readonly reason: FailureReason;
  readonly transient: boolean;

  constructor(reason: FailureReason, message: string, transient = false) {
    super(message);
    this.reason = reason;
    this.transient = transient;
  }
}

interface Performed<P extends Port> {
  readonly ask: Ask<P>;
  readonly workspace?: string | undefined;
  readonly hasOthers?: boolean | undefined;
}

/** Performs one effect. */
export function* perform<P extends Port>(
  port: P,
  path: string,
  { ask, workspace, hasOthers }: Performed<P>,
): Operation<Answer<P>> {
  const place = workspace === undefined ? {} : { in: workspace };
  const effect = { port, path, ask, ...place, ...(hasOthers ? { hasOthers } : {}) } as Effect;
  return yield { step: "perform", effect };
}

/** Runs operations in parallel and waits for all that start. Returns results by branch id. */
export function* parallel<T>(parallel: Parallel<T>): Operation<ReadonlyMap<string, T>> {
  return yield { step: "parallel", parallel };
}

/** Emits a run event. */
export function* emit(event: RunEventBody): Operation<void> {
  yield { step: "emit", event };
}

/** The current run totals. */
export function* getRunTotals(): Operation<RunTotals> {
  return yield { step: "totals" };
}

/** Suspends until any agent call ends. Call it only when one is in flight. */
export function* waitForAgentCall(): Operation<void> {
  yield { step: "suspend" };
}

/** Ends the whole run at once. */
export function* endRun(outcome: Outcome): Operation<never> {
  yield { step: "end", outcome };
  throw new Error("an operation was resumed after its run had ended");
}
