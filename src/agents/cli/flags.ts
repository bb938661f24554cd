import { nearestEffort } from "../effort.ts";
import type { CliInvocation } from "./cli-definition.ts";

/** A program's flags for settings that every agent can get; absent if it has no such flag. */
export interface ProgramFlags {
  readonly model?: string;
  readonly effort?: string;
  /** The levels of effort it takes; by default any. */
  readonly efforts?: readonly string[];
  readonly maxTurns?: string;
  /** Takes a file's path. */
  readonly instructions?: string;
  /** Keeps it from following instructions in the checkout; for a judge. */
  readonly ignoreInstructions?: string;
  /** Continues the conversation with this id. */
  readonly resume: string;
  /** Starts a conversation with an id that we choose. */
  readonly begin?: string;
}

/** The arguments of one call, the user's own last. */
export function argumentsFor(turn: CliInvocation, flags: ProgramFlags): readonly string[] {
  const { request, session, scratch, followsInstructions, extra } = turn;
  const { model, instructions = "", settings } = request;
  return [
    ...option(flags.model, model),
    ...option(flags.effort, settings?.effort && nearestEffort(settings.effort, flags.efforts ?? [])),
    ...option(flags.maxTurns, settings?.maxTurns),
    ...(instructions === ""
      ? []
      : option(flags.instructions, scratch.write("instructions.md", instructions))),
    ...(followsInstructions || flags.ignoreInstructions === undefined ? [] : [flags.ignoreInstructions]),
    ...option(session.isContinued ? flags.resume : flags.begin, session.id),
    ...extra,
  ];
}

/**
 * A flag with its value; empty if one of them is missing. An empty value counts: an empty list of tools allows none.
 */
export const option = (flag: string | undefined, value: string | number | undefined): readonly string[] =>
  flag === undefined || value === undefined ? [] : [flag, String(value)];
