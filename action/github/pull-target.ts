import { type GitHub, loadGitHub } from "../../src/api/github.ts";
import { readParents } from "../../src/api/publishing.ts";
import type { RunOrigin } from "../../src/api/runs.ts";
import { pullRefIn } from "../job/github-context.ts";
import { type Job, RefusedError } from "../job/job.ts";

interface Target {
  readonly cwd: string;
  /** The pull request that gets the work. */
  readonly number: number;
  /** Its head, as the event names it and as it is now. */
  readonly heads: readonly (string | undefined)[];
  /** The commit that is checked out. */
  readonly head: string | undefined;
  /** The run that is resumed or published; `undefined` for a new one. */
  readonly started?: { readonly run: string; readonly origin: RunOrigin | undefined } | undefined;
  readonly github: GitHub | undefined;
}

/**
 * The head of the pull request that a run judges. Throws if it judges another commit than that head or its merge
 * commit: a job on `issue_comment`, for example, checks out the default branch unless it is told otherwise.
 */
export async function judgedHead(target: Target, job: Job): Promise<string> {
  const { number, started, github, cwd } = target;
  const origin = started?.origin;
  const commit = origin?.checkout ?? origin?.head ?? target.head;
  const known = origin?.pull === number ? [origin.head] : target.heads;
  const heads = known.filter((head) => head !== undefined);
  if (commit !== undefined) {
    if (heads.includes(commit)) return commit;
    const parents = await parentsOf(commit, { cwd, github });
    const merged = parents.length > 1 ? parents.find((one) => heads.includes(one)) : undefined;
    if (merged !== undefined) return merged;
  }
  const what = commit?.slice(0, 12) ?? "nothing";
  const place =
    started === undefined ? `this job has checked out ${what}` : `run ${started.run} started from ${what}`;
  const remedy = started === undefined ? "give" : "start a new run in a job that gives";
  throw new RefusedError(
    `\`publish: push\` pushes to pull request #${number}, but ${place}, which is neither its head nor its merge commit, so the check would judge other code: ${remedy} actions/checkout the line \`ref: ${pullRefIn(job, number)}\``,
  );
}

interface Sources {
  readonly cwd: string;
  readonly github: GitHub | undefined;
}

/** The parents of a merge commit. The checkout of a resumed run may lack it. */
async function parentsOf(commit: string, { cwd, github }: Sources): Promise<readonly string[]> {
  const local = await readParents(cwd, commit);
  if (local !== undefined || github === undefined) return local ?? [];
  return (await (await loadGitHub()).readCommitParents(github, commit)) ?? [];
}
