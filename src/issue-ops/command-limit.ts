import { commentsSince } from "./count-approvals.ts";
import { same } from "./permissions.ts";
import type { IncomingComment, RepositoryContext } from "./repository-context.ts";

/** How many commands of one person on one pull request are accepted, and within how many milliseconds. */
export const commandLimit = { most: 30, withinMs: 10 * 60_000 } as const;

/** Whether somebody has given too many commands lately, counted from the comments: a job remembers nothing. */
export async function isOverCommandLimit(
  site: RepositoryContext,
  { id, by, at, pull }: IncomingComment,
): Promise<boolean> {
  const start = Date.parse(at) - commandLimit.withinMs;
  const lately = await commentsSince(site, { pull, since: new Date(start).toISOString() });
  const before = lately.filter(
    (one) =>
      one.id < id &&
      Date.parse(one.created_at) > start &&
      same(one.user?.login ?? "", by) &&
      one.body?.startsWith("/workflow") === true,
  );
  return before.length >= commandLimit.most;
}
