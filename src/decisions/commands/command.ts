import type { CommandEvent } from "../../engine/command-events.ts";
import type { RunView } from "../run-view.ts";
import type { Decision, Said, Wording } from "../statement.ts";
import type { Application } from "./applies-to.ts";

/** The groups in which commands are listed, in this order. */
export const groups = ["start", "answer", "go on", "look"] as const;

interface Described<Name extends string> {
  /** The word after `/workflow`. */
  readonly name: Name;
  /** The words that may follow, as people read them: `<step> <text>`. */
  readonly takes: string;
  /** Those of the group `answer` are also what people may answer at a gate, wherever they see it. */
  readonly group: (typeof groups)[number];
  /** What it does, in the help and in the docs. */
  readonly doc: string;
  /** What the docs say besides. */
  readonly more?: string;
}

/** Why the words of a command were not understood. */
export interface Unclear {
  readonly unclear: string;
}

/** What the host of a comment does for a command. */
export interface CommandHost {
  /** Answers the comment, and marks it as done. The text is Markdown: untrusted text in it must be escaped. */
  reply(text: string): Promise<void>;
  /** All commands. */
  help(): string;
  /** The status of all runs of this pull request. */
  list(): Promise<string>;
  startRun(name: string): Promise<void>;
  /** Forgets the note with this number, or all. */
  forgetNotes(number: number | undefined): Promise<void>;
}

/** A command that is about no run, or about all of them. Whoever may use commands may use it. */
export interface GeneralCommand<Name extends string = string, Arguments extends object = object>
  extends Described<Name> {
  readonly about: "all";
  /** Reads the words after its name. */
  read(text: string): Arguments | Unclear;
  /** Executes it, once for each comment. */
  act(host: CommandHost, words: Arguments): Promise<void>;
}

/** A run, as a reply shows it. */
export interface ShownRun {
  readonly run: string;
  /** Its status, as an item of a list. */
  readonly line: string;
}

/** A recorded command to a run. */
export interface RecordedWords {
  readonly by: string;
  readonly text: string;
  readonly decision?: "approve" | "reject" | undefined;
}

/**
 * A command about one run. It either decides something (`decide`) or shows something (`reply`). Its run may be named by
 * its first word; if it is not, the command is for the only run that it applies to.
 */
export interface RunCommandRow<Name extends string = string> extends Described<Name> {
  readonly about: "run";
  /** Who may use it: everybody who may use commands, or only those of them who may decide gates. */
  readonly who: "commanders" | "approvers";
  /** The runs it applies to, and why it does not apply to another. */
  readonly appliesTo: Application;
  /** Reads arguments that follow the run's id; without it, they are a text. */
  readonly read?: (text: string) => { readonly step: string; readonly text: string } | Unclear;
  /** The event that it records. A command without one that decides something resumes the run. */
  readonly event?: CommandEvent["type"];
  /** What it decides about a gate. */
  readonly decision?: "approve" | "reject";
  /** The command on the command line does the same: what the help says about it there. */
  readonly atTerminal?: string;
  /** The status of the run shows for ever that a comment was executed, so a second delivery changes nothing. */
  readonly staysVisible?: true;
  /** If no gate waits, it accepts work whose pull request is a draft that a person has to review. */
  readonly acceptsDraft?: true;
  /** True if a comment with this text, without the id, can be what was recorded; default: the texts are equal. */
  readonly says?: (recorded: RecordedWords, text: string) => boolean;
  /** Decides what it means for a run that it applies to. Pure. */
  readonly decide?: (view: RunView, said: Said, wording: Wording) => Decision;
  /** Shows something about the runs it was given for. */
  readonly reply?: (runs: readonly ShownRun[]) => string;
}

export type Command = GeneralCommand | RunCommandRow;

/** Defines a command that is about no run, or about all of them. */
export const general = <const Name extends string, Arguments extends object>(
  row: Omit<GeneralCommand<Name, Arguments>, "about">,
): GeneralCommand<Name, Arguments> => ({ about: "all", ...row });

/** Defines a command about one run. */
export const aboutRun = <const Row extends Omit<RunCommandRow, "about">>(row: Row) =>
  ({ about: "run", ...row }) as const;
