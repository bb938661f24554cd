import { isRunId, placeOf } from "../stores/run-id.ts";
import { namesItself } from "./names-another.ts";
import { commentsOn } from "./read-comments.ts";
import { isOurs, type RepositoryContext } from "./repository-context.ts";

/**
 * The ids of the runs that our comments on a pull request show. Look up each one: it may be forged, or its record
 * deleted.
 */
export async function runsShownIn(site: RepositoryContext, pull: number): Promise<readonly string[]> {
  const ids = new Set<string>();
  for await (const { body, user } of commentsOn(site, { pull, pages: 5 })) {
    const id = /^<!-- until-green:run=([a-z0-9-]{6,64}) -->/.exec(body ?? "")?.[1];
    if (id !== undefined && isRunId(id) && (await isOurs(site, user?.login))) ids.add(id);
  }
  return [...ids];
}

/**
 * Explains why a run shown in our comments on a pull request cannot be found: its record was deleted. `word` selects
 * the run, default the newest; `undefined` if no comment shows it. Call it only if no record was found.
 */
export async function whyShownRunIsGone(
  site: RepositoryContext,
  pull: number,
  word?: string,
): Promise<string | undefined> {
  const shown = await runsShownIn(site, pull);
  const run = word === undefined ? shown.at(-1) : shown.find((id) => namesItself(word, id));
  if (run === undefined) return undefined;
  return (
    `the record of run \`${run}\`, which a comment here shows, is gone: its ref ` +
    `\`refs/until-green/${placeOf(run)}/state\` was deleted. On a machine that has driven it, ` +
    `\`until-green status ${run} --store git\` says how to put it back; otherwise start a new run`
  );
}
