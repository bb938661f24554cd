import { env } from "node:process";

/**
 * Adapts commands in a text for pasting into this terminal: adds `npx` if npm started this program, and removes
 * commands for pull request comments.
 */
export function pasteable(text: string): string {
  const typed = text.replaceAll(forComments, "");
  return env["npm_command"] === undefined && env["npm_lifecycle_event"] === undefined
    ? typed
    : typed.replace(command, "npx until-green ");
}

/** Matches from the first of several spaces only, so that a line of spaces takes linear time. */
const forComments = /(?<! ) +or comment: \/workflow .*$/gm;

const command =
  /(?<![\w/-]|npx )until-green (?=(?:approve|cancel|check|convert|demo|diff|doctor|eval|init|list|logs|plan|reject|repair|report|restore|resume|run|stats|status|tell|--help)\b)/g;
