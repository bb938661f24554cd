import type { AgentFault, Role, Usage } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";
import type { ReviewReason } from "../ports/review-reason.ts";
import type { StopKind } from "../stops/index.ts";
import type { CleanResult, Diff, Notice, TestCounts } from "./event-parts.ts";

export type Conclusion = "success" | "failure" | "paused" | "skipped" | "cancelled";

/** Why a node failed: the stop that gave up, or one of these. */
export type FailureReason =
  | StopKind
  | "max-iterations"
  | "no-progress"
  | "budget"
  | "check-unevaluable"
  | "tampered"
  | "agent-error"
  | "idle"
  | "timeout"
  | "node-failed"
  | "rejected"
  | "internal";

/** Why a run or a loop ended or paused: the stop that ended it, or one of these. */
export type StopReason =
  | StopKind
  | "approved"
  | "iterations-done"
  | "completed"
  | FailureReason
  | "nothing-to-do"
  | "not-selected"
  | PauseReason
  | "cancelled";

export type PauseReason = "gate" | "requested" | "time-limit" | "rate-limit" | "outage";

export type NodeStatus = "completed" | "failed" | "skipped" | "cancelled";

export interface Gate {
  readonly path: string;
  /** The full text for people: the question, the check's result, and the commands that answer it. */
  readonly message: string;
  /** The text without the check's result and the commands, for pages that show those separately. */
  readonly question: string;
}

/**
 * The run events (`--json`), without the fields that every event has. They derive from plan and log alone, so a
 * resumed run continues the same stream.
 */
export type RunEventBody =
  | {
      readonly type: "run.started";
      readonly workflow: string;
      readonly dialect: string;
      readonly file?: string;
      /** Empty if no agent was named: a workflow may need none. */
      readonly agent: string;
      readonly message: string;
    }
  | { readonly type: "run.resumed"; readonly from_seq: number }
  | {
      readonly type: "node.started";
      readonly path: string;
      readonly node: string;
      readonly label: string;
      readonly kind: string;
    }
  | {
      readonly type: "node.retried";
      readonly path: string;
      readonly attempt: number;
      readonly reason: string;
      /** The class of an agent's failure. */
      readonly fault?: AgentFault;
    }
  | {
      readonly type: "node.ended";
      readonly path: string;
      readonly node: string;
      readonly label: string;
      readonly status: NodeStatus;
      readonly output: string;
      readonly result?: Json;
      readonly reason?: string;
      /** The exit, if the node has several. */
      readonly exit?: string;
    }
  | {
      readonly type: "loop.started";
      readonly path: string;
      readonly node: string;
      readonly mode: "repeat" | "for-each" | "attempts";
      readonly max?: number;
      readonly items?: number;
    }
  | {
      readonly type: "iteration.started";
      readonly path: string;
      readonly node: string;
      readonly number: number;
      readonly item?: Json;
    }
  | {
      readonly type: "iteration.ended";
      readonly path: string;
      readonly node: string;
      readonly number: number;
      readonly item?: Json;
      readonly output: string;
      readonly snapshot?: string;
      /** The snapshot that the loop started from. */
      readonly since?: string;
      /** What the iteration changed in the workspace, if known. */
      readonly diff?: Diff;
      /**
       * With `for_each` in work trees: the item that its work conflicts with, and where. The work is then left out.
       */
      readonly conflict?: string;
      /** With `attempts`: how this one ended. */
      readonly attempt?: AttemptResult;
    }
  | {
      readonly type: "agent.asked";
      readonly path: string;
      readonly agent: string;
      readonly role: Role;
      readonly model?: string;
      readonly session?: string;
      readonly prompt: string;
    }
  | {
      readonly type: "agent.answered";
      readonly path: string;
      readonly text: string;
      readonly result?: Json;
      readonly session?: string;
      /** The agent's note for later iterations. */
      readonly note?: string;
      readonly usage: Usage;
    }
  /** A call that ended without an answer but used tokens or money: it failed, or was stopped. */
  | {
      readonly type: "agent.failed";
      readonly path: string;
      readonly because: string;
      /** The class of the failure; absent if the call was stopped. */
      readonly fault?: AgentFault;
      readonly usage: Usage;
    }
  | {
      readonly type: "stop.tested";
      readonly path: string;
      readonly kind: StopReason;
      readonly verdict: "done" | "give-up" | "go-on";
      readonly because: string;
      /** The end of a shell check's output, for charts of failing tests. */
      readonly tail?: string;
      readonly tests?: TestCounts;
      readonly clean?: CleanResult;
      /** Why a person should look at this green result. */
      readonly review?: readonly ReviewReason[];
    }
  | {
      readonly type: "loop.ended";
      readonly path: string;
      readonly node: string;
      readonly status: NodeStatus;
      readonly stop_reason: StopReason;
      readonly iterations: number;
      /** With `attempts`: the one whose work is kept. */
      readonly chosen?: number;
      /** Why a person should look at the work, if nobody has approved it yet. */
      readonly review?: readonly ReviewReason[];
    }
  | ({
      readonly type: "gate.opened";
      readonly node: string;
      /** Why a person is asked about green work. */
      readonly review?: readonly ReviewReason[];
    } & Gate)
  | {
      readonly type: "gate.answered";
      readonly path: string;
      readonly node: string;
      readonly decision: "approve" | "reject";
      readonly by: string;
      readonly text: string;
    }
  | {
      readonly type: "message.sent" | "message.delivered" | "message.dropped";
      readonly from: string;
      readonly to: string;
      readonly text: string;
      readonly reason?: string;
    }
  | Notice
  | {
      readonly type: "run.paused";
      readonly stop_reason: PauseReason;
      readonly gates: readonly Gate[];
      /** When to resume the run, in ISO 8601. */
      readonly wake_at?: string;
      readonly interrupted?: true;
    }
  | {
      readonly type: "run.ended";
      readonly conclusion: Conclusion;
      readonly stop_reason: StopReason;
      readonly output: string;
      readonly results: Readonly<Record<string, Json>>;
      readonly iterations: number;
      readonly usage: Usage;
      readonly because?: string;
      /** The outcome that the workflow's own result reports, if the file names an `outcome_field`. */
      readonly outcome?: "succeeded" | "failed";
      /** The run failed after some of its nodes had completed. */
      readonly partial?: true;
      /** The run is green, to review: the reasons of all its loops. */
      readonly review?: readonly ReviewReason[];
    };

/** The result of one of several attempts: its failing tests and its metric, if known, and its changed lines. */
export interface AttemptResult {
  readonly green: boolean;
  /** It is green, but a person should look at it. */
  readonly to_review?: true;
  readonly stop_reason: StopReason;
  readonly failing?: number;
  readonly metric?: number;
  readonly lines?: number;
}

/** A run event as `--json` prints it. */
export type RunEvent = {
  readonly v: 1;
  readonly seq: number;
  readonly at: string;
  readonly run: string;
} & RunEventBody;
