import { setTimeout as wait } from "node:timers/promises";
import { type GitHub, loadGitHub } from "../../src/api/github.ts";
import {
  type GoalBranch,
  type RemoteBranch,
  readinessOf,
  type SeriesLimits,
} from "../../src/api/publishing.ts";
import type { PublishPlan } from "../publish/publish-plan.ts";
import { publishedGrade } from "../publish/published-grade.ts";

/** The branch of a goal at the host, and what is known of its pull requests. */
export interface SeenBranch extends GoalBranch {
  readonly pull:
    | { readonly number: number; readonly url: string; readonly mergeable: boolean | undefined }
    | undefined;
  /** Whether there is, or was, a pull request of it. */
  readonly hasHadPull: boolean;
}

interface Seen {
  readonly github: GitHub;
  readonly plan: PublishPlan;
  readonly branch: RemoteBranch;
  /** Whether the number of open pull requests is limited. */
  readonly counts: boolean;
  readonly demands: SeriesLimits;
}

/** Looks at what a goal has published. */
export async function seeBranch({ github, plan, branch, counts, demands }: Seen): Promise<SeenBranch> {
  const { countOpenPulls, findLastPull, readPull, readPullReadiness } = await loadGitHub();
  const last = plan.way === "pull-request" ? await findLastPull(github, plan.branch) : undefined;
  const isOpen = last?.state === "open";
  const grade = publishedGrade(branch, isOpen ? last : undefined);
  // Merged commits are in the base; the rest of the branch is not work.
  const isDone = last?.merged === true && branch.tip === last.headSha;
  const work =
    branch.tip === undefined || isDone ? undefined : { green: false, ...grade, commit: branch.tip };
  // Of red work the next run hears what reviewers say; that its checks fail it knows.
  const asked = work?.green === true ? demands : { untilReviews: demands.untilReviews };
  const asks = asked.untilChecks !== undefined || asked.untilReviews === true;
  const readiness =
    isOpen && asks && work !== undefined
      ? readinessOf(
          await readPullReadiness(github, { number: last.number, head: last.headSha, isOwn }),
          asked,
        )
      : undefined;
  return {
    work,
    readiness,
    pull: isOpen
      ? {
          number: last.number,
          url: last.url,
          mergeable: await mergeability(() => readPull(github, last.number)),
        }
      : undefined,
    hasHadPull: last !== undefined,
    closed: last !== undefined && !isOpen && !last.merged ? last.number : undefined,
    open: counts ? await countOpenPulls(github, "until-green/") : 0,
  };
}

/** The check that shows a run. */
const isOwn = (name: string) => name.startsWith("until-green");

/** GitHub works it out when it is first asked, which takes it a moment. */
async function mergeability(
  read: () => Promise<{ readonly mergeable: boolean | undefined }>,
): Promise<boolean | undefined> {
  for (let look = 1; ; look++) {
    const { mergeable } = await read();
    if (mergeable !== undefined || look === 4) return mergeable;
    await wait(1_000);
  }
}
