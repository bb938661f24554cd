import type { Json } from "../ports/json.ts";
import type { FailureReason, StopReason } from "./told.ts";

/** How a node ended. */
export type Outcome = Completed | Failed | Skipped | Cancelled;

export interface Completed {
  readonly status: "completed";
  readonly output: string;
  readonly result?: Json;
  /** Why a loop ended well. */
  readonly reason?: StopReason;
  /** The way by which it left, where its node has several. */
  readonly exit?: string;
  /** Names the node made for those after it: a loop's accumulated outputs. */
  readonly published?: Readonly<Record<string, string>>;
}

export interface Failed {
  readonly status: "failed";
  readonly output: string;
  readonly reason: FailureReason;
  readonly because: string;
  /** Passes by itself, so another attempt may go well. */
  readonly transient?: boolean;
}

export interface Skipped {
  readonly status: "skipped";
  readonly because: string;
  /** A node before it failed, however many hops away. */
  readonly byFailure: boolean;
}

export interface Cancelled {
  readonly status: "cancelled";
  readonly because: string;
}

/** Fails a node, in the words people read. */
export const failed = (reason: FailureReason, because: string, output = ""): Failed => ({
  status: "failed",
  output,
  reason,
  because,
});
