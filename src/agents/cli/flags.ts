import type { CliInvocation } from "./cli-definition.ts";

/** The flags by which a program takes what any agent may be given; what it has no flag for is absent. */
export interface ProgramFlags {
  readonly model?: string;
  readonly effort?: string;
  readonly maxTurns?: string;
  /** Takes the name of a file. */
  readonly instructions?: string;
  /** Keeps it from heeding files of the checkout: for a judge. */
  readonly unheeding?: string;
  /** Continues the conversation with an id. */
  readonly resume: string;
  /** Begins one with an id of ours. */
  readonly begin?: string;
}

/** What one call is given, as arguments, with the user's own last. */
export function argumentsFor(turn: CliInvocation, flags: ProgramFlags): readonly string[] {
  const { request, session, scratch, heeds, extra } = turn;
  const { model, instructions = "", settings } = request;
  return [
    ...option(flags.model, model),
    ...option(flags.effort, settings?.effort),
    ...option(flags.maxTurns, settings?.maxTurns),
    ...(instructions === ""
      ? []
      : option(flags.instructions, scratch.write("instructions.md", instructions))),
    ...(heeds || flags.unheeding === undefined ? [] : [flags.unheeding]),
    ...option(session.goesOn ? flags.resume : flags.begin, session.id),
    ...extra,
  ];
}

/** A flag with its value; nothing without both. An empty value is one: of tools, it allows none. */
export const option = (flag: string | undefined, value: string | number | undefined): readonly string[] =>
  flag === undefined || value === undefined ? [] : [flag, String(value)];
