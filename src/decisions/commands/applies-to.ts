import type { RunView } from "../run-view.ts";
import { type Refusal, type Wording, wrong } from "../statement.ts";

/** The runs that a command applies to. */
export interface Application {
  /** True if a command that names no run may be for this one. */
  fits(run: Standing): boolean;
  /** The reply if no run fits. */
  readonly none: string;
  /** Why the command does not apply to a run; it may be the decision itself that finds out. */
  refuse?(view: RunView, wording: Wording): Refusal | undefined;
}

/** What must be known of a run to see whether a command applies to it. */
interface Standing extends Pick<RunView, "state" | "stopReason"> {
  readonly gates: readonly unknown[];
}

const none = "there is no such run";

export const anyRun: Application = { none, fits: () => true };

/** A gate may have been decided by somebody else: the decision says by whom. */
export const waitingRuns: Application = {
  none: "no run waits here",
  fits: ({ state, gates }) => state !== "ended" && gates.length > 0,
};

export const unfinishedRuns: Application = {
  none,
  fits: ({ state }) => state !== "ended",
  refuse: (view, wording) => (view.state === "ended" ? over(view, wording) : undefined),
};

/** Why a run gets no further iterations. */
export const notUsedUp = "has ended, but not because its iterations were used up: start a new run";

export const exhaustedRuns: Application = {
  none,
  fits: ({ state, stopReason }) => state === "ended" && stopReason === "max-iterations",
  refuse({ run, state, stopReason }, { code }) {
    if (state !== "ended") return wrong(`run ${run} has not ended: ${code(`resume ${run}`)} continues it`);
    return stopReason === "max-iterations" ? undefined : wrong(`run ${run} ${notUsedUp}`);
  },
};

/** The refusal once a run has ended; after a cancellation it names who cancelled. */
export const over = ({ run, cancelled }: RunView, { name }: Wording): Refusal =>
  cancelled === undefined
    ? wrong(`run ${run} has ended already`)
    : { refused: "late", because: `run ${run} was ${name(cancelled)}` };
