import type { Comment } from "../engine/command-events.ts";
import type { LogEvent } from "../engine/log-events.ts";
import type { ViewedGate } from "./run-view.ts";

/** What a person says about a run, besides the command itself: from the command line, a comment or a button. */
export interface Said {
  readonly by: string;
  readonly text: string;
  /** Now, in ISO 8601. */
  readonly at: string;
  /** The command applies only to gates opened by this time, in milliseconds since 1970. */
  readonly since: number;
  /** The path or the nonce of the gate; defaults to the oldest open gate. */
  readonly gate?: string | undefined;
  /** The step a message is for. */
  readonly step?: string | undefined;
  readonly comment?: Comment | undefined;
  /** The current head of the pull request's branch. A gate applies to the commit it was shown for. */
  readonly head?: string | undefined;
  /** What happens to an approval if the branch has moved since the gate was shown; default `ignore`: it counts. */
  readonly moved?: "ask" | "show" | "ignore" | undefined;
  /** True if the approval applies to the current commit, whatever it is. */
  readonly anyway?: boolean | undefined;
}

/** The events to record, or why nothing is recorded. */
export type Decision =
  | { readonly record: LogEvent; readonly gate?: ViewedGate }
  | { readonly resumes: true }
  /** The branch has moved: the gate must be shown again for its new head. */
  | { readonly shownAgain: ViewedGate; readonly because: string }
  | Refusal;

export interface Refusal {
  /** `late`: someone else decided first. `wrong`: there is nothing here that it applies to. */
  readonly refused: "late" | "wrong";
  readonly because: string;
  /** Set if the run waits for a person and cannot be resumed; its gates may be shown instead. */
  readonly waits?: true;
}

export const wrong = (because: string) => ({ refused: "wrong", because }) as const;

/** The comment that carried a command, for the event that records it. */
export const provenance = ({ comment }: Said) => (comment === undefined ? {} : { comment });

/** How a message is formatted: for a terminal, or for a page, where names are escaped. */
export interface Wording {
  code(text: string): string;
  name(text: string): string;
  /** The command that grants a run more iterations. */
  more(run: string): string;
}
