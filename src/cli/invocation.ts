import { env } from "node:process";

/**
 * A text whose commands can be pasted into this terminal: they begin with `npx` if npm started this program, and those
 * for a comment on a pull request are left out.
 */
export function pasteable(text: string): string {
  const typed = text.replaceAll(forComments, "");
  return env["npm_command"] === undefined && env["npm_lifecycle_event"] === undefined
    ? typed
    : typed.replace(command, "npx until-green ");
}

/** It starts at the first of several spaces only, so that a line of spaces takes no longer than others. */
const forComments = /(?<! ) +or comment: \/workflow .*$/gm;

const command =
  /(?<![\w/-]|npx )until-green (?=(?:approve|cancel|check|convert|demo|diff|doctor|eval|init|list|logs|plan|reject|repair|report|restore|resume|run|stats|status|tell|--help)\b)/g;
