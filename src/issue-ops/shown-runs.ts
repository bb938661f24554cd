import { z } from "zod";
import { isRunId, placeOf } from "../stores/run-id.ts";
import { isOurs, type RepositoryContext } from "./repository-context.ts";

const comments = z.array(
  z.object({ body: z.string().nullish(), user: z.object({ login: z.string() }).nullish() }),
);

/**
 * The ids of the runs that our comments on a pull request show. Look up each one: it may be forged, or its record
 * deleted.
 */
export async function runsShownIn(site: RepositoryContext, pull: number): Promise<readonly string[]> {
  const { api, owner, repo } = site;
  const ids: string[] = [];
  const route = "GET /repos/{owner}/{repo}/issues/{pull}/comments";
  let pages = 0;
  for await (const { data } of api.paginate.iterator(route, { owner, repo, pull, per_page: 100 })) {
    for (const { body, user } of comments.parse(data)) {
      const id = /^<!-- until-green:run=([a-z0-9-]{6,64}) -->/.exec(body ?? "")?.[1];
      if (id !== undefined && isRunId(id) && (await isOurs(site, user?.login))) ids.push(id);
    }
    pages += 1;
    if (pages === 5) break;
  }
  return [...new Set(ids)];
}

/**
 * Explains why a run shown in our comments on a pull request cannot be found: its record was deleted. `word` selects
 * the run, default the newest; `undefined` if no comment shows it. Call it only if no record was found.
 */
export async function whyShownRunIsGone(
  site: RepositoryContext,
  pull: number,
  { word }: { readonly word?: string } = {},
): Promise<string | undefined> {
  const shown = await runsShownIn(site, pull);
  const run = word === undefined ? shown.at(-1) : shown.find((id) => id === word);
  if (run === undefined) return undefined;
  return (
    `the record of run \`${run}\`, which a comment here shows, is gone: its ref ` +
    `\`refs/until-green/${placeOf(run)}/state\` was deleted. On a machine that has driven it, ` +
    `\`until-green status ${run} --store git\` says how to put it back; otherwise start a new run`
  );
}
