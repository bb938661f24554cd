import { setTimeout as wait } from "node:timers/promises";
import { type GitHub, loadGitHub } from "../../src/api/github.ts";
import {
  type GoalBranch,
  type RemoteBranch,
  readinessOf,
  type SeriesLimits,
} from "../../src/api/publishing.ts";
import type { PublishPlan } from "../publish/publish-plan.ts";
import { isOwn, publishedGrade } from "../publish/published-grade.ts";

/** The branch of a goal at the host, and its pull requests. */
export interface SeenBranch extends GoalBranch {
  readonly pull:
    | { readonly number: number; readonly url: string; readonly mergeable: boolean | undefined }
    | undefined;
  /** True if its work has and had no pull request: an earlier run could only push it. */
  readonly lacksPull: boolean;
}

interface GoalBranchQuery {
  readonly github: GitHub;
  readonly plan: PublishPlan;
  readonly branch: RemoteBranch;
  /** Whether the number of open pull requests is limited. */
  readonly counts: boolean;
  readonly demands: SeriesLimits;
  /** Tells people what the token may not read. */
  warn(message: string): void;
}

/** Reads what a goal has published. */
export async function seeBranch({
  github,
  plan,
  branch,
  counts,
  demands,
  warn,
}: GoalBranchQuery): Promise<SeenBranch> {
  const { countOpenPulls, findLastPull, readPull } = await loadGitHub();
  const last = plan.way === "pull-request" ? await findLastPull(github, plan.branch) : undefined;
  const open = last?.state === "open" ? last : undefined;
  const grade = publishedGrade(branch, open);
  const settled = open === undefined ? settledBy(last, branch) : undefined;
  // Merged commits are in the base; the rest of the branch is not work.
  const isDone = settled?.merged === true;
  const work =
    branch.tip === undefined || isDone ? undefined : { green: false, ...grade, commit: branch.tip };
  const mergeable = open && (await mergeability(() => readPull(github, open.number), demands));
  return {
    work,
    readiness:
      open && work && (await readinessFor(github, { pull: open, isGreen: work.green, demands, warn })),
    pull: open && { number: open.number, url: open.url, mergeable },
    lacksPull: work !== undefined && open === undefined && settled === undefined && mayOpen(last, branch),
    closed: isDone ? undefined : settled?.number,
    open: counts ? await countOpenPulls(github, "until-green/") : 0,
  };
}

/** Commits that people pushed after their pull request was merged or closed are theirs. */
const mayOpen = (last: LastPull, branch: RemoteBranch) => last === undefined || isOwn(branch);

type LastPull = Awaited<ReturnType<Awaited<ReturnType<typeof loadGitHub>>["findLastPull"]>>;

/** The pull request by which people have decided about everything on the branch, if it is merged or closed. */
const settledBy = (last: LastPull, { tip }: RemoteBranch): LastPull =>
  last !== undefined && (tip === undefined || tip === last.headSha) ? last : undefined;

interface Demanding {
  readonly pull: { readonly number: number; readonly headSha: string };
  readonly isGreen: boolean;
  readonly demands: SeriesLimits;
  warn(message: string): void;
}

async function readinessFor(github: GitHub, { pull, isGreen, demands, warn }: Demanding) {
  // For red work, the next run gets only the reviews: it knows that its checks fail.
  const required = isGreen ? demands : { untilReviews: demands.untilReviews };
  if (required.untilChecks === undefined && required.untilReviews !== true) return undefined;
  const { readPullReadiness } = await loadGitHub();
  const at = { number: pull.number, head: pull.headSha, isOwn: isOwnCheck };
  const { refusals, ...seen } = await readPullReadiness(github, at);
  if (required.untilChecks !== undefined) refusals.forEach(warn);
  return readinessOf(seen, required);
}

/** The check that shows a run. */
export const isOwnCheck = (name: string) => name.startsWith("until-green");

/** GitHub computes it after the first request, which takes a moment. */
async function mergeability(
  read: () => Promise<{ readonly mergeable: boolean | undefined; readonly isBehind: boolean }>,
  { untilMergeable }: SeriesLimits,
): Promise<boolean | undefined> {
  for (let look = 1; ; look++) {
    const { mergeable, isBehind } = await read();
    if (mergeable !== undefined || look === 4) return mergeable && !(untilMergeable === true && isBehind);
    await wait(1_000);
  }
}
