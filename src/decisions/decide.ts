import { type RunCommandName, runCommand } from "./commands/table.ts";
import type { RunView } from "./run-view.ts";
import { type Decision, type Said, type Wording, wrong } from "./statement.ts";

export type { Decision };

/** A person's command, from the command line, a comment or a button. */
export interface Statement extends Said {
  readonly kind: RunCommandName;
}

const onTerminal: Wording = {
  code: (text) => text,
  name: (text) => text,
  more: (run) => `until-green resume ${run} --more-iterations 5`,
};

/** Decides what a statement means for a run. Pure. Command line, action and app all use this function. */
export function decide(view: RunView, statement: Statement, wording: Wording = onTerminal): Decision {
  const { appliesTo, decide: decision } = runCommand(statement.kind);
  const no = appliesTo.refuse?.(view, wording);
  if (no !== undefined) return no;
  return decision?.(view, statement, wording) ?? wrong("there is nothing to decide");
}
