import type { RecordedDecision } from "../../src/api/github.ts";
import type { StatusJob } from "../../src/api/runs.ts";

/** Requests to the host about runs, besides git; a missing method is skipped. */
export interface GitHubApi {
  /** True if a job of this host is still running. */
  isAlive?(job: StatusJob): Promise<boolean>;
  /** Dispatches a workflow of this repository; throws an error that explains what is missing. */
  wake?(workflow: string, wake: Wake): Promise<void>;
  /** True if this `owner/name` is or was that of this repository. */
  wasCalled?(name: string): Promise<boolean>;
  /** Why a recorded decision cannot be verified with its author; `undefined` if it is valid. */
  doubts?(recorded: RecordedDecision): Promise<string | undefined>;
}

export interface Wake {
  readonly ref: string;
  /** Only ids. */
  readonly inputs: Readonly<Record<string, string>>;
}
