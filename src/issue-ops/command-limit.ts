import { mostPages } from "./count-approvals.ts";
import { same } from "./permissions.ts";
import { commentsOn } from "./read-comments.ts";
import type { IncomingComment, RepositoryContext } from "./repository-context.ts";

/** Maximum commands of one person on one pull request, and the period in milliseconds. */
export const commandLimit = { most: 30, withinMs: 10 * 60_000 } as const;

/** True if a person has given too many commands recently; counted from the comments, because a job has no memory. */
export async function isOverCommandLimit(
  site: RepositoryContext,
  { id, by, at, pull }: IncomingComment,
): Promise<boolean> {
  const start = Date.parse(at) - commandLimit.withinMs;
  const since = new Date(start).toISOString();
  let count = 0;
  for await (const one of commentsOn(site, { pull, since, pages: mostPages }))
    if (
      one.id < id &&
      Date.parse(one.created_at) > start &&
      same(one.user?.login ?? "", by) &&
      one.body?.startsWith("/workflow") === true
    )
      count += 1;
  return count >= commandLimit.most;
}
