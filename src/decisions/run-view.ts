import type { RunSession } from "../engine/session.ts";
import { type Step, stepsOf } from "../plan/steps.ts";

/** The input of a decision, provided by the log of a run or by the status at the tip of its ref. */
export interface RunView {
  readonly run: string;
  readonly state: "running" | "paused" | "ended";
  /** True if the run is paused and nothing can continue before a person answers a gate. */
  readonly waits: boolean;
  /** Its stop reason, if it has ended. */
  readonly stopReason?: string | undefined;
  /** Who cancelled it and why: `cancelled by ann: not now`. */
  readonly cancelled?: string | undefined;
  /** Open gates, oldest first. */
  readonly gates: readonly ViewedGate[];
  /** Who decided gates, latest last. */
  readonly decided: readonly ViewedDecision[];
  /** Possible recipients of a message; `undefined` if unknown here. */
  readonly steps: readonly Step[] | undefined;
}

export interface ViewedGate {
  /** Identifies the gate in the log. */
  readonly need: string;
  /** The path as people see it. */
  readonly path: string;
  /** When it opened, in ISO 8601. */
  readonly since: string;
  /** Identifies the gate in the form it was shown. */
  readonly nonce?: string | undefined;
  /** The head of the branch when the gate was shown. */
  readonly head?: string | undefined;
}

export interface ViewedDecision {
  readonly path: string;
  readonly by: string;
  readonly nonce?: string | undefined;
}

const isAtWork = ({ effects }: RunSession) => [...effects.values()].some(({ port }) => port !== "human");

/** Builds the view from a run's session. */
export const viewOf = (session: RunSession): RunView => ({
  run: session.facts.run,
  state: session.ended ? "ended" : session.paused ? "paused" : "running",
  waits: session.paused && session.effects.size > 0 && !isAtWork(session),
  stopReason: session.end?.stop_reason,
  cancelled: session.cancelled,
  gates: session.gates(),
  decided: [...session.decided].map(([path, { by }]) => ({ path, by })),
  steps: stepsOf(session.plan.body),
});
