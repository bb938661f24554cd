import type { Answer, Ask, Port } from "../ports/questions.ts";
import type { Ledger } from "./ledger.ts";
import type { Outcome } from "./outcome.ts";
import type { FailureReason, Told } from "./told.ts";

// F1  A flow is pure: no I/O, no clock, no randomness. Told twice with the same facts it ends the same.
// F2  Every need has a path, and within a run a path names one question for ever.
// F3  Only the engine drives a flow; only the runner does what a need asks.
// F4  The log only grows.

/** One question the run cannot go on without, addressed by where in the run it arose. */
export type Need = {
  [P in Port]: {
    readonly port: P;
    readonly path: string;
    readonly ask: Ask<P>;
    /** The checkout it is about, where that is not the run's own: an absolute path. */
    readonly in?: string;
  };
}[Port];

/** Several flows told side by side, each beginning once those named in `after` have ended. */
export interface Together<T> {
  readonly branches: readonly Branch<T>[];
  /** How many may be under way at a time. */
  readonly atMost: number;
  /** Of those that could begin, the first in the list does; otherwise the one that could first. */
  readonly inOrder?: boolean | undefined;
  /** After an end of which this holds no further branch begins. */
  readonly enough?: (value: T) => boolean;
  /** What to tell of a branch that a sudden end of the run leaves unbegun, where there is anything to tell. */
  readonly never?: (id: string) => Told | undefined;
}

export interface Branch<T> {
  readonly id: string;
  readonly after: readonly string[];
  begin(ended: ReadonlyMap<string, T>): Flow<T>;
}

/** What a flow may yield: a question, flows beside each other, a word to the outside, a look at the totals, a rest, the end. */
export type Step =
  | { readonly step: "need"; readonly need: Need }
  // biome-ignore lint/suspicious/noExplicitAny: a session moves values of branches it does not know
  | { readonly step: "together"; readonly together: Together<any> }
  | { readonly step: "tell"; readonly told: Told }
  | { readonly step: "ledger" }
  | { readonly step: "rest" }
  | { readonly step: "end"; readonly outcome: Outcome };

// biome-ignore lint/suspicious/noExplicitAny: what a yield receives depends on what it yielded; the functions below say which
export type Flow<T> = Generator<Step, T, any>;

/** Thrown inside a flow when a need can never be met; whoever began the flow decides what that means. */
export class Unmet extends Error {
  override readonly name = "Unmet";
  readonly reason: FailureReason;
  readonly transient: boolean;

  constructor(reason: FailureReason, message: string, transient = false) {
    super(message);
    this.reason = reason;
    this.transient = transient;
  }
}

/** Asks the world one question. */
export function* need<P extends Port>(
  port: P,
  path: string,
  { ask, workspace }: { readonly ask: Ask<P>; readonly workspace?: string | undefined },
): Flow<Answer<P>> {
  const asked = { port, path, ask, ...(workspace === undefined ? {} : { in: workspace }) } as Need;
  return yield { step: "need", need: asked };
}

/** Tells flows side by side and waits for all that begin; by branch id, those never begun left out. */
export function* together<T>(flows: Together<T>): Flow<ReadonlyMap<string, T>> {
  return yield { step: "together", together: flows };
}

/** Says something to the outside. */
export function* tell(told: Told): Flow<void> {
  yield { step: "tell", told };
}

/** The run's totals as they stand. */
export function* ledger(): Flow<Ledger> {
  return yield { step: "ledger" };
}

/** Waits until a call of an agent is over; only for who sees in the ledger that one is under way. */
export function* rest(): Flow<void> {
  yield { step: "rest" };
}

/** Ends the whole run here and now; nothing after it is told. */
export function* endRun(outcome: Outcome): Flow<never> {
  yield { step: "end", outcome };
  throw new Error("a run that has ended is told no further");
}
