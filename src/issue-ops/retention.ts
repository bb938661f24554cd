import type { RunStatus } from "../status/run-status.ts";
import type { Tip } from "../stores/rest/tip.ts";
import type { Config } from "./config.ts";
import type { RepositoryContext } from "./repository-context.ts";

/** Default number of days that the record of a run is kept after its end. */
export const defaultRetentionDays = 30;

/**
 * Default number of ended runs to keep: each has two refs, and GitHub lists all refs of a repository in every push.
 */
export const defaultRetentionRuns = 100;

/** Newer runs are kept regardless of the number, because a job may be about to join them. */
const youngMs = 2 * 86_400_000;

/** A run that has ended. */
export interface EndedRun {
  readonly tip: Tip;
  readonly endedAt: string;
}

/** The run, if it has ended; a run without an end time never counts as ended. */
export function endedRun(tip: Tip, { summary: { state, endedAt } }: RunStatus): EndedRun | undefined {
  return state === "ended" && endedAt !== undefined ? { tip, endedAt } : undefined;
}

type RetentionConfig = Pick<Config, "retention-days" | "retention-runs">;

/** The runs whose retention has expired, and the oldest ones if there are too many. */
export function expiredRuns(
  { "retention-days": days = defaultRetentionDays, "retention-runs": runs }: RetentionConfig,
  ended: readonly EndedRun[],
  now: string,
): readonly EndedRun[] {
  const limit = runs ?? (days === "never" ? "never" : defaultRetentionRuns);
  const most = limit === "never" ? Number.POSITIVE_INFINITY : limit;
  const newestFirst = ended.toSorted((a, b) => b.endedAt.localeCompare(a.endedAt));
  return newestFirst.filter(({ endedAt }, at) => {
    const age = Date.parse(now) - Date.parse(endedAt);
    return (days !== "never" && age > days * 86_400_000) || (at >= most && age > youngMs);
  });
}

/**
 * How many requests one sweep may spend on removing runs: a job's token has 1,000 per hour. One request removes 50
 * runs; if the host refuses that, each run takes up to four.
 */
const mostRequests = 300;

/** Removes the records of runs, the oldest first; adds those that are gone to a list. */
export async function removeExpired(
  { runs }: RepositoryContext,
  ended: readonly EndedRun[],
  gone: string[],
): Promise<void> {
  const oldest = ended.toSorted((a, b) => a.endedAt.localeCompare(b.endedAt)).map(({ tip }) => tip);
  await runs.remove(oldest, { mostRequests, gone: (run) => void gone.push(run) });
}
