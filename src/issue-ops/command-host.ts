/** What comments get done besides decisions, in a chunk of its own: a job that drives a run does not load it. @module */
import type { CommandHost, ShownRun } from "../decisions/commands/command.ts";
import { commands, usageOf } from "../decisions/commands/table.ts";
import { inMarkdown } from "../render/escape.ts";
import { headline } from "../status/headline.ts";
import type { RunStatus } from "../status/run-status.ts";
import { react, reply } from "./comment-replies.ts";
import type { Rules } from "./config.ts";
import { runsOf } from "./find-run.ts";
import { forgetNotes } from "./forget-notes.ts";
import type { IncomingComment, RepositoryContext } from "./repository-context.ts";
import { whyShownRunIsGone } from "./shown-runs.ts";
import { startRun } from "./start-run.ts";

/** Does for a comment what its command asks for. */
export const commandHost = (
  site: RepositoryContext,
  comment: IncomingComment,
  rules: Rules,
): CommandHost => ({
  async reply(text) {
    await reply(site, comment.pull, text);
    await react(site, comment.id, "+1");
  },
  help: () => helpText,
  list: () => listText(site, comment.pull),
  startRun: (name) => startRun(site, comment, { name, rules }),
  forgetNotes: (number) => forgetNotes(site, comment, number),
});

const helpText = [
  "Commands, at the start of a comment:",
  "",
  "| command | |",
  "| --- | --- |",
  ...commands.map((command) => `| \`/workflow ${usageOf(command)}\` | ${command.doc} |`),
  "",
  "The run's id can be left out if only one run fits.",
].join("\n");

/** The status of a run, as an item of a list. */
export function shownRun({ summary, gates }: RunStatus): ShownRun {
  const waits = gates.map(({ path }) => `\`${path.replaceAll("`", "")}\``).join(", ");
  const { run } = summary;
  return {
    run,
    line: `- \`${run}\` ${inMarkdown(headline(summary))}${waits === "" ? "" : `; waits at ${waits}`}`,
  };
}

/** All runs of a pull request. */
async function listText(site: RepositoryContext, pull: number): Promise<string> {
  const runs = await runsOf(site, { pull, all: await site.survey() });
  if (runs.length > 0) return runs.map(({ status }) => shownRun(status).line).join("\n");
  const gone = await whyShownRunIsGone(site, pull);
  return gone === undefined ? "There is no run here." : `There is no run here: ${gone}.`;
}
