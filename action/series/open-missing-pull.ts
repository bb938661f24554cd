import { loadGitHub } from "../../src/api/github.ts";
import { RefusedError } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";
import { labelAndAsk } from "../publish/keep-pull.ts";
import { refusalOfPull } from "../publish/open-pull.ts";
import type { PublishContext } from "../publish/publish-context.ts";
import type { PublishPlan } from "../publish/publish-plan.ts";
import { withTitleMark } from "../publish/pull-text.ts";
import type { SeenBranch } from "./goal-branch.ts";

interface Missing {
  readonly context: PublishContext;
  readonly target: PublishPlan;
  readonly workflow: string;
}

/**
 * Opens the pull request for work that an earlier run could only push. Throws `RefusedError` if GitHub still does not
 * allow it: the setting cannot be read with a job's token, and another paid run must not find it out again.
 */
export async function openMissingPull(
  seen: SeenBranch,
  { context, target, workflow }: Missing,
): Promise<SeenBranch> {
  const { github, opener, inputs, site, job } = context;
  if (target.way !== "pull-request" || github === undefined) return seen;
  if (seen.work === undefined || !seen.lacksPull) return seen;
  const { createPull } = await loadGitHub();
  const title = `until-green: ${workflow}`;
  const pull = {
    title,
    body: withTitleMark(
      `The work of an earlier run of the agent loop, published by [this job](${site.job}).`,
      title,
    ),
    head: target.branch,
    base: target.base,
    draft: inputs.draft === "auto" ? !seen.work.green || seen.work.review === true : inputs.draft === "true",
  };
  try {
    const { number, url } = await createPull(opener ?? github, pull);
    for (const message of await labelAndAsk(github, { number, text: pull }, inputs))
      job.log.annotate(annotation("notice", message));
    return { ...seen, pull: { number, url, mergeable: undefined } };
  } catch (error) {
    const refused = refusalOfPull(error, { site, pull });
    // There may be nothing left to merge.
    if (refused === undefined) return seen;
    throw new RefusedError(
      `the work of an earlier run is on the branch ${pull.head}, but ${refused.because}. No agent was called. ${refused.remedy}, then re-run this job; or open it yourself: ${refused.link}`,
    );
  }
}
