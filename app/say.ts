import { headline, inMarkdown, type Standing } from "../src/index.ts";
import { runsOf } from "./find-run.ts";
import type { Site } from "./site.ts";

/** What may be said in a comment. */
export const helpText = [
  "What can be said here, at the start of a comment:",
  "",
  "| command | |",
  "| --- | --- |",
  "| `/workflow run <name> [message]` | begins a run |",
  "| `/workflow approve [run-id] [feedback]` | goes on from a gate; feedback may have many lines |",
  "| `/workflow reject [run-id] [reason]` | ends the run at a gate |",
  "| `/workflow cancel [run-id]` | ends the run |",
  "| `/workflow resume [run-id]` | goes on with a run whose job is gone |",
  "| `/workflow tell [run-id] <step> <text>` | puts a message into a step's inbox |",
  "| `/workflow status [run-id]`, `/workflow list` | where runs stand |",
  "",
  "The run's id may be left out where only one is meant.",
].join("\n");

/** Where some runs stand, a line for each. */
export function statusText(standings: readonly Standing[]): string {
  if (standings.length === 0) return "This pull request has no run.";
  return standings
    .map(({ summary, gates }) => {
      const waits = gates.map(({ path }) => `\`${path.replaceAll("`", "")}\``).join(", ");
      return `- \`${summary.run}\` ${inMarkdown(headline(summary))}${waits === "" ? "" : `; waits at ${waits}`}`;
    })
    .join("\n");
}

/** All runs of a pull request. */
export async function listText(site: Site, pull: number): Promise<string> {
  const runs = await runsOf(site, { pull, all: await site.survey() });
  return statusText(runs.map(({ standing }) => standing));
}
