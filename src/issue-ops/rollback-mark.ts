import { conversationOf } from "../engine/log-events.ts";
import { statusOf } from "../github/api.ts";
import type { GitHub } from "../github/client.ts";
import { parseRunStatus } from "../status/run-status-schema.ts";
import type { Tip } from "../stores/rest/tip.ts";
import { readMarks } from "./read-marks.ts";
import { githubOf, type RepositoryContext } from "./repository-context.ts";

/**
 * A commit that the comment or a check of a run has shown, but its signed record lacks: somebody rolled the record
 * back. `undefined` if there is none, or if records are not signed here.
 */
export async function rollbackMark(site: RepositoryContext, tip: Tip): Promise<string | undefined> {
  const status = site.isSealed ? parseRunStatus(tip.state["standing"]) : undefined;
  if (status === undefined) return undefined;
  const { summary, comment, origin } = status;
  const github = githubOf(site);
  const shown = { run: summary, pull: conversationOf(origin), comment, heads: [origin?.head] };
  for (const mark of await readMarks(github, shown))
    if (!(await isBelow(github, mark, tip.commit))) return mark;
  return undefined;
}

async function isBelow(github: GitHub, mark: string, tip: string): Promise<boolean> {
  if (mark === tip) return true;
  const { readMergeBase } = await import("../github/index.ts");
  try {
    return (await readMergeBase(github, mark, tip)) === mark;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}
