import type { RunStatus } from "../status/run-status.ts";
import type { Tip } from "../stores/rest/tip.ts";
import type { Config } from "./config.ts";
import type { RepositoryContext } from "./repository-context.ts";

/** How many days the record of a run is kept after its end, unless the configuration says otherwise. */
export const defaultRetentionDays = 30;

/** A run whose record may go. */
export interface ExpiredRun {
  readonly tip: Tip;
  readonly endedAt: string;
}

/** The run, if it ended longer ago than its record is kept; a run that names no end is never taken for ended. */
export function expired(
  { "retention-days": days = defaultRetentionDays }: Pick<Config, "retention-days">,
  { tip, status, now }: { readonly tip: Tip; readonly status: RunStatus; readonly now: string },
): ExpiredRun | undefined {
  const { state, endedAt } = status.summary;
  if (days === "never" || state !== "ended" || endedAt === undefined) return undefined;
  const age = Date.parse(now) - Date.parse(endedAt);
  return age > days * 86_400_000 ? { tip, endedAt } : undefined;
}

/** How many runs one sweep removes, the oldest first: each costs up to three of the requests a token has an hour. */
const mostAtOnce = 20;

/** Removes the records of runs; answers which are gone. */
export async function removeExpired(
  { runs }: RepositoryContext,
  found: readonly ExpiredRun[],
): Promise<readonly string[]> {
  const oldest = found.toSorted((a, b) => a.endedAt.localeCompare(b.endedAt)).slice(0, mostAtOnce);
  const gone: string[] = [];
  for (const { tip } of oldest) {
    await runs.remove(tip);
    gone.push(tip.run);
  }
  return gone;
}
