import type { RunEvent } from "../engine/event.ts";
import type { Session } from "../engine/session.ts";

/** Something a person may say of a run, in a comment or on the command line. */
export interface Command {
  readonly name: string;
  /** What saying it puts on record as the run stands now, or why it is refused. Pure. */
  choose(session: Session, said: Said): Chosen;
}

export interface Said {
  readonly by: string;
  readonly text: string;
  /** Now, in ISO 8601. */
  readonly at: string;
  /** When they said it: whoever spoke before a gate opened did not mean that gate. */
  readonly since: string;
  /** The gate meant; without one, the oldest open one. */
  readonly gate?: string | undefined;
  /** The step a message is for. */
  readonly step?: string | undefined;
}

export type Chosen =
  | { readonly record: RunEvent; readonly gate?: string }
  | {
      /** `late`: somebody decided already. `wrong`: there is nothing here it could apply to. */
      readonly refused: "late" | "wrong";
      readonly because: string;
    };
