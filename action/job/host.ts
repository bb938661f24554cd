import type { Comment, StandingJob } from "../../src/index.ts";

/** What the host is asked about runs besides git; what is left out is not asked. */
export interface Host {
  /** Whether a job of this host is still at work. */
  isAlive?(job: StandingJob): Promise<boolean>;
  /** Starts a workflow of this repository; throws an error that says what is missing. */
  wake?(workflow: string, wake: Wake): Promise<void>;
  /** Why something on record does not stand, after asking again who said it there; `undefined` where it stands. */
  doubts?(said: Said): Promise<string | undefined>;
}

export interface Wake {
  readonly ref: string;
  /** Ids only. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** Something a person is on record to have said: in a comment, or without one. */
export interface Said {
  readonly run: string;
  readonly type: "run.decided" | "run.messaged" | "run.cancelled";
  readonly decision: "approve" | "reject" | undefined;
  /** The workflow of loops, where the record says it. */
  readonly workflow: string | undefined;
  /** The pull request the run is about. */
  readonly pull?: number | undefined;
  readonly by: string;
  readonly text: string;
  readonly comment?: Comment;
  /** When, in ISO 8601. */
  readonly at?: string;
  /** When the gate they decided opened, in ISO 8601. */
  readonly since?: string;
}
