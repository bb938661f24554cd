import { relative } from "node:path";
import type { RunOrigin, StatusJob } from "../../src/api/runs.ts";
import { branchOf, readGitHubContext } from "./github-context.ts";
import type { Job } from "./job.ts";
import { readJobEvent } from "./job-event.ts";

/** The origin of a run started by this job; `undefined` outside a repository's job. */
export function originOf(job: Job, cwd: string): RunOrigin | undefined {
  const { env } = job;
  const site = job.hosting?.site ?? readGitHubContext(job);
  if (site === undefined) return undefined;
  const { repository, pull, issue, head, branch } = site;
  return defined({
    repository,
    pull: pull?.number,
    issue,
    head: pull?.headSha ?? head,
    branch: pull?.branch ?? branch,
    workflow: workflowOf(env),
    actor: env["GITHUB_ACTOR"] || undefined,
    folder: relative(job.workspace, cwd) || undefined,
  });
}

/** The branch whose workflow file resumes the run: this job's, or the default branch. */
export const homeBranch = (job: Job): string =>
  branchOf(job.env) ?? readJobEvent(job).repository?.default_branch ?? "main";

/** Id and attempt of this job on its host. */
export function statusJob({ env }: Job): StatusJob | undefined {
  const [run, attempt] = [Number(env["GITHUB_RUN_ID"]), Number(env["GITHUB_RUN_ATTEMPT"] ?? 1)];
  return Number.isSafeInteger(run) && run > 0 ? { run, attempt: attempt || 1 } : undefined;
}

/** True if the job's run had an earlier attempt. */
export const isRerun = (job: Job): boolean => (statusJob(job)?.attempt ?? 1) > 1;

/** `owner/name/.github/workflows/loop.yml@refs/heads/main` contains the file, unless it is another repository's. */
export function workflowOf(env: Job["env"]): string | undefined {
  const match = /^([^/]+\/[^/]+)\/(\.github\/workflows\/[^/@]+)@/.exec(env["GITHUB_WORKFLOW_REF"] ?? "");
  return match?.[1] === env["GITHUB_REPOSITORY"] ? match?.[2] : undefined;
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

const defined = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Defined<T>;
