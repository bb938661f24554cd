import type { Origin } from "../engine/event.ts";
import type { Summary } from "./summary.ts";

/**
 * Where a run stands, kept at the tip of its log for whoever reads only that: at most 64 KiB of JSON. Anybody who may
 * write to the repository may have written it, so it is read by its schema and shown escaped.
 */
export interface Standing {
  readonly v: 1;
  readonly summary: Summary;
  /** The open ones, oldest first. */
  readonly gates: readonly StandingGate[];
  readonly origin: Origin | undefined;
  /** The job that drove the run last. */
  readonly job: StandingJob | undefined;
  /** The snapshot of the workspace that belongs to it. */
  readonly work: string | undefined;
}

export interface StandingGate {
  /** Names the gate in a decision. */
  readonly need: string;
  /** As people know it. */
  readonly path: string;
  readonly message: string;
  /** ISO 8601. */
  readonly since: string;
  /** 10 characters that no other gate has: a button or a late answer names the gate it was shown for. */
  readonly nonce: string;
  /** The head of the branch when the gate was shown. */
  readonly head: string | undefined;
}

export interface StandingJob {
  /** The id of the host's workflow run. */
  readonly run: number;
  readonly attempt: number;
}
