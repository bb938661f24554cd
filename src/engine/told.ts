import type { Role, Usage } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";

export type Conclusion = "success" | "failure" | "paused" | "skipped" | "cancelled";

export type SuccessReason =
  | "signal"
  | "until-bash"
  | "until-field"
  | "expression"
  | "judge"
  | "answer"
  | "exit-handle"
  | "condition"
  | "approved"
  | "iterations-done"
  | "completed";

export type FailureReason =
  | "max-iterations"
  | "no-progress"
  | "budget"
  | "check-unevaluable"
  | "fail-signal"
  | "tampered"
  | "agent-error"
  | "idle"
  | "timeout"
  | "node-failed"
  | "rejected"
  | "internal";

/** Why a run or a loop stands where it stands; one of these words, always. */
export type StopReason =
  | SuccessReason
  | FailureReason
  | "nothing-to-do"
  | "not-selected"
  | "gate"
  | "time-limit"
  | "cancelled";

export type NodeStatus = "completed" | "failed" | "skipped" | "cancelled";

export interface Gate {
  readonly path: string;
  readonly message: string;
}

/**
 * What a run tells the outside as it goes: the `--json` events, less the fields every event has.
 * Derived from plan and log alone, so a resumed run tells on where it left off.
 */
export type Told =
  | {
      readonly type: "run.started";
      readonly workflow: string;
      readonly dialect: string;
      readonly file?: string;
      /** Empty where nobody was named: a workflow may need no agent. */
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
      /** Ours: the exit it left by, where it has several. */
      readonly exit?: string;
    }
  | {
      readonly type: "loop.started";
      readonly path: string;
      readonly node: string;
      readonly mode: "repeat" | "for-each";
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
      /** The snapshot it began from. */
      readonly since?: string;
      /** Ours: what the iteration changed in the workspace, where it is known. */
      readonly diff?: Diff;
    }
  | {
      readonly type: "agent.asked";
      readonly path: string;
      readonly agent: string;
      readonly role: Role;
      readonly session?: string;
      readonly prompt: string;
    }
  | {
      readonly type: "agent.answered";
      readonly path: string;
      readonly text: string;
      readonly result?: Json;
      readonly session?: string;
      readonly usage: Usage;
    }
  | {
      readonly type: "stop.tested";
      readonly path: string;
      readonly kind: StopReason;
      readonly verdict: "done" | "give-up" | "go-on";
      readonly because: string;
      /** Ours: the end of what a shell check printed, for charts of failing tests. */
      readonly tail?: string;
    }
  | {
      readonly type: "loop.ended";
      readonly path: string;
      readonly node: string;
      readonly status: NodeStatus;
      readonly stop_reason: StopReason;
      readonly iterations: number;
    }
  | { readonly type: "gate.opened"; readonly path: string; readonly node: string; readonly message: string }
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
      readonly stop_reason: "gate" | "time-limit";
      readonly gates: readonly Gate[];
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
      /** Ours: the run failed after some of its nodes had completed. */
      readonly partial?: true;
    };

export interface Notice {
  readonly type: "notice";
  readonly code: string;
  readonly message: string;
  readonly path?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly hint?: string;
}

export interface Diff {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  readonly paths: readonly string[];
}

/** A told event as `--json` prints it. */
export type ToldEvent = {
  readonly v: 1;
  readonly seq: number;
  readonly at: string;
  readonly run: string;
} & Told;
