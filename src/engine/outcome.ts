import type { Json } from "../ports/json.ts";
import type { ReviewReason } from "../ports/review-reason.ts";
import type { FailureReason, StopReason } from "./run-events.ts";

/** How a node ended. */
export type Outcome = Completed | Failed | Skipped | Cancelled;

export interface Completed {
  readonly status: "completed";
  readonly output: string;
  readonly result?: Json;
  /** The agent that did the work, and its conversation, for nodes that continue it. */
  readonly conversation?: Conversation;
  /** The stop reason of a successful loop. */
  readonly reason?: StopReason;
  /** The exit, if its node has several. */
  readonly exit?: string;
  /** Why a person should look at the work of a loop; empty or absent if nobody needs to. */
  readonly review?: readonly ReviewReason[];
  /** Values published for later nodes: a loop's accumulated outputs. */
  readonly published?: Readonly<Record<string, string>>;
}

export interface Conversation {
  readonly agent: string | undefined;
  readonly session: string;
}

export interface Failed {
  readonly status: "failed";
  readonly output: string;
  readonly reason: FailureReason;
  readonly because: string;
  /** A transient failure: another attempt may succeed. */
  readonly transient?: boolean;
  /** Another attempt would end the same way: `retry` does not apply. */
  readonly permanent?: true;
}

export interface Skipped {
  readonly status: "skipped";
  readonly because: string;
  /** An upstream node failed, however many hops away. */
  readonly byFailure: boolean;
}

export interface Cancelled {
  readonly status: "cancelled";
  readonly because: string;
}

/** The failure of a node, as text for people. */
export const failed = (reason: FailureReason, because: string, output = ""): Failed => ({
  status: "failed",
  output,
  reason,
  because,
});

/** The output of an outcome; empty if the node did not run to an end. */
export const outputOf = (outcome: Outcome): string =>
  outcome.status === "completed" || outcome.status === "failed" ? outcome.output : "";

/** Why a loop with this outcome ended. */
export const stopReasonOf = (outcome: Outcome): StopReason =>
  outcome.status === "completed" || outcome.status === "failed"
    ? (outcome.reason ?? "completed")
    : "cancelled";

/** Why a person should look at the work, as part of an event. */
export const reviewIn = (outcome: Outcome): Pick<Completed, "review"> =>
  outcome.status === "completed" && outcome.review !== undefined ? { review: outcome.review } : {};
