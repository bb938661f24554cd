import { inMarkdown } from "../render/escape.ts";
import { headline } from "../status/headline.ts";
import type { RunStatus } from "../status/run-status.ts";
import { runsOf } from "./find-run.ts";
import type { RepositoryContext } from "./repository-context.ts";
import { whyShownRunIsGone } from "./shown-runs.ts";

/** The commands that a comment can contain. */
export const helpText = [
  "Commands, at the start of a comment:",
  "",
  "| command | |",
  "| --- | --- |",
  "| `/workflow run <name> [message]` | starts a run |",
  "| `/workflow approve [run-id] [text]` | continues from a gate |",
  "| `/workflow feedback [run-id] <text>` | asks for another iteration; the text may have several lines |",
  "| `/workflow reject [run-id] [reason]` | ends the run at a gate |",
  "| `/workflow cancel [run-id] [reason]` | ends the run |",
  "| `/workflow resume [run-id]` | resumes a run whose job is gone |",
  "| `/workflow retry [run-id] [n]` | gives a run that used up its iterations n more |",
  "| `/workflow tell [run-id] <step> <text>` | puts a message into a step's inbox |",
  "| `/workflow forget [number]` | removes notes that attempts left for later ones |",
  "| `/workflow status [run-id]`, `/workflow list` | the status of runs |",
  "",
  "The run's id can be left out if only one run fits.",
].join("\n");

/** The status of several runs, one line each. */
export function statusText(statuses: readonly RunStatus[]): string {
  if (statuses.length === 0) return "There is no run here.";
  return statuses
    .map(({ summary, gates }) => {
      const waits = gates.map(({ path }) => `\`${path.replaceAll("`", "")}\``).join(", ");
      return `- \`${summary.run}\` ${inMarkdown(headline(summary))}${waits === "" ? "" : `; waits at ${waits}`}`;
    })
    .join("\n");
}

/** All runs of a pull request. */
export async function listText(site: RepositoryContext, pull: number): Promise<string> {
  const runs = await runsOf(site, { pull, all: await site.survey() });
  const gone = runs.length > 0 ? undefined : await whyShownRunIsGone(site, pull);
  return gone === undefined ? statusText(runs.map(({ status }) => status)) : `There is no run here: ${gone}.`;
}
