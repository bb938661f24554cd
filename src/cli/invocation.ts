import { env } from "node:process";

/** A text whose commands can be pasted: they begin with `npx` if npm started this program. */
export const pasteable = (text: string): string =>
  env["npm_command"] === undefined && env["npm_lifecycle_event"] === undefined
    ? text
    : text.replace(command, "npx until-green ");

const command =
  /(?<![\w/-]|npx )until-green (?=(?:approve|cancel|check|convert|demo|diff|doctor|eval|init|list|logs|plan|reject|repair|report|restore|resume|run|stats|status|tell|--help)\b)/g;
