import type { RunSession } from "../engine/session.ts";
import { type Step, stepsOf } from "../plan/steps.ts";

/** The input of a decision. Both the log of a run and the status at the tip of its ref provide it. */
export interface RunView {
  readonly run: string;
  readonly state: "running" | "paused" | "ended";
  /** True if it is paused and nothing in it can go on before a person answers a gate. */
  readonly waits: boolean;
  /** How it ended, if it did. */
  readonly stopReason?: string | undefined;
  /** Who cancelled it and why: `cancelled by ann: not now`. */
  readonly cancelled?: string | undefined;
  /** The open ones, oldest first. */
  readonly gates: readonly ViewedGate[];
  /** Who decided gates, the latest last. */
  readonly decided: readonly ViewedDecision[];
  /** The possible recipients of a message; `undefined` if they are not known here. */
  readonly steps: readonly Step[] | undefined;
}

export interface ViewedGate {
  /** Names the gate in the log. */
  readonly need: string;
  /** As people know it. */
  readonly path: string;
  /** When it opened, in ISO 8601. */
  readonly since: string;
  /** Names the gate as it was shown once. */
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

/** The view that the log of a run gives. */
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
