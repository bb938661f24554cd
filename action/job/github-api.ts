import type { Comment, StatusJob } from "../../src/api/runs.ts";

/** Requests to the host about runs, besides git; a missing method is skipped. */
export interface GitHubApi {
  /** True if a job of this host is still running. */
  isAlive?(job: StatusJob): Promise<boolean>;
  /** Dispatches a workflow of this repository; throws an error that explains what is missing. */
  wake?(workflow: string, wake: Wake): Promise<void>;
  /** Why a recorded decision cannot be verified with its author; `undefined` if it is valid. */
  doubts?(recorded: RecordedDecision): Promise<string | undefined>;
}

export interface Wake {
  readonly ref: string;
  /** Only ids. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** A recorded decision of a person, in a comment or without one. */
export interface RecordedDecision {
  readonly run: string;
  readonly type: "run.decided" | "run.messaged" | "run.cancelled" | "run.extended";
  readonly decision: "approve" | "reject" | undefined;
  /** The name of the loop workflow, if recorded. */
  readonly workflow: string | undefined;
  /** The run's pull request. */
  readonly pull?: number | undefined;
  readonly by: string;
  readonly text: string;
  readonly comment?: Comment;
  /** Time of the decision, in ISO 8601. */
  readonly at?: string;
  /** When the decided gate opened, in ISO 8601. */
  readonly since?: string;
}
