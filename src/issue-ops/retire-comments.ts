import { z } from "zod";
import { issueComment } from "./read-comments.ts";
import { isOurs, type RepositoryContext } from "./repository-context.ts";

/**
 * Updates the comments of runs whose record was deleted: they can no longer be answered. Returns the runs. Only
 * recently updated comments are read, because the sweep runs regularly.
 */
export async function retireMissing(
  site: RepositoryContext,
  there: readonly string[],
): Promise<readonly string[]> {
  const { api, owner, repo } = site;
  const route = "GET /repos/{owner}/{repo}/issues/comments";
  const newestFirst = { sort: "updated", direction: "desc", per_page: 100 };
  const { data } = await api.request(route, { owner, repo, ...newestFirst });
  const known = new Set(there);
  const tidied: string[] = [];
  for (const { id, body, user } of z.array(issueComment).parse(data)) {
    const run = /^<!-- until-green:run=([a-z0-9-]{6,64}) -->\n/.exec(body ?? "")?.[1];
    if (run === undefined || known.has(run) || body?.includes(gone)) continue;
    if (!(await isOurs(site, user?.login))) continue;
    // The record may have been deleted just after the list was made; a run that started since is not in the list.
    if ((await site.look(run)).tip !== undefined) continue;
    const edit = "PATCH /repos/{owner}/{repo}/issues/comments/{comment}";
    await api.request(edit, { owner, repo, comment: id, body: lastWords(run, body ?? "") });
    tidied.push(run);
  }
  return tidied;
}

const gone = "<!-- until-green:gone -->";

function lastWords(run: string, body: string): string {
  const headline = /^### .*$/m.exec(body)?.[0] ?? "### A run";
  return `<!-- until-green:run=${run} -->\n${gone}\n${headline}\n\nThe record of run \`${run}\` is gone: it accepts no more commands. The status above is the last one known.\n`;
}
