import { readFileSync } from "node:fs";
import { argv, env } from "node:process";
import { shellWord } from "../processes/shell-word.ts";

/**
 * Adapts commands in a text for pasting into this terminal: names this program as it was started, and removes commands
 * for pull request comments.
 */
export function pasteable(text: string): string {
  const typed = text.replaceAll(forComments, "");
  const program = ownCommand();
  return program === "until-green" ? typed : typed.replace(command, () => `${program} `);
}

/**
 * How this program was started, so that the commands it shows work in the same place. Never `npx` unless npx can find
 * it: of a name that is not in the registry, npx would run whatever is published there.
 */
function ownCommand(): string {
  const project = /^(.*)\/node_modules\/\.bin\//.exec(argv[1] ?? "")?.[1];
  if (project !== undefined) return `npx ${requestedPackage(project)}`;
  const isOwnScript = env["npm_command"] === "run" && env["npm_package_name"] === "until-green";
  return isOwnScript ? "npm run until-green --" : "until-green";
}

/** npx keeps what it downloads in a folder of its own, with the package as it was requested, such as a URL. */
function requestedPackage(folder: string): string {
  if (!/\/_npx\/[^/]+$/.test(folder)) return "until-green";
  try {
    const { packages } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"))._npx;
    return shellWord(String(packages[0]));
  } catch {
    return "until-green";
  }
}

/** Matches from the first of several spaces only, so that a line of spaces takes linear time. */
const forComments = /(?<! ) +or comment: \/workflow .*$/gm;

const command =
  /(?<![\w/-]|npx )until-green (?=(?:approve|cancel|check|convert|demo|diff|doctor|eval|feedback|init|list|logs|plan|reject|repair|report|restore|resume|run|stats|status|tell|--help)\b|<command>)/g;
