import type { Environment, RunOrigin } from "../../src/api/runs.ts";
import { forkOf } from "./fork.ts";
import { type JobEvent, readJobEvent } from "./job-event.ts";

/** Where on GitHub this job runs, and what triggered it. */
export interface GitHubContext {
  readonly server: string;
  readonly api: string;
  /** `owner/name`. */
  readonly repository: string;
  /** The address of the job's log. */
  readonly job: string;
  readonly event: string;
  /** The pull request it belongs to. */
  readonly pull: PullSeen | undefined;
  /** The issue it was started from, if it belongs to no pull request. */
  readonly issue?: number | undefined;
  /** The head repository, if it is not this one. */
  readonly fork: string | undefined;
  /** The branch it works on, and the commit at its tip. */
  readonly branch: string | undefined;
  readonly head: string | undefined;
}

export interface PullSeen {
  readonly number: number;
  /** Head branch with its tip, and base commit; unknown if the event only names the pull request. */
  readonly branch: string | undefined;
  readonly headSha: string | undefined;
  readonly baseSha: string | undefined;
}

interface Started {
  readonly env: Environment;
  /** The event that started it. */
  readonly event: unknown;
}

/** Reads the GitHub context; `undefined` outside GitHub. A resumed run still belongs to what it was started for. */
export function readGitHubContext(job: Started, begun?: RunOrigin): GitHubContext | undefined {
  const { env } = job;
  const repository = env["GITHUB_REPOSITORY"];
  if (!repository) return undefined;
  const server = env["GITHUB_SERVER_URL"] || "https://github.com";
  const event = readJobEvent(job);
  // A run that was started from an issue talks there, unless an event of its pull request started it.
  const seen = begun?.issue === undefined || begun.pull !== undefined ? pullOf(event, begun) : undefined;
  const { pull_request: pull, workflow_run: run, check_suite: suite } = event;
  return {
    server,
    api: env["GITHUB_API_URL"] || "https://api.github.com",
    repository,
    job: `${server}/${repository}/actions/runs/${env["GITHUB_RUN_ID"] ?? ""}`,
    event: env["GITHUB_EVENT_NAME"] ?? "",
    pull: seen,
    issue: begun?.issue ?? (seen === undefined ? issueOf(event) : undefined),
    fork: forkOf(job, repository),
    branch:
      pull?.head?.ref || env["GITHUB_HEAD_REF"] || run?.head_branch || suite?.head_branch || branchOf(env),
    head: begun?.head ?? pull?.head?.sha ?? run?.head_sha ?? (env["GITHUB_SHA"] || undefined),
  };
}

/**
 * The branch a job runs on; `undefined` for a pull request's. For a merge queue the one that it merges into: its own
 * branches are gone a moment later.
 */
export function branchOf(env: Environment): string | undefined {
  const branch = /^refs\/heads\/(.+)$/.exec(env["GITHUB_REF"] ?? "")?.[1];
  return /^gh-readonly-queue\/(.+)\/pr-\d+-[0-9a-f]+$/.exec(branch ?? "")?.[1] ?? branch;
}

/** The number of the pull request or the issue where people talk with the run. */
export const conversationIn = ({ pull, issue }: Pick<GitHubContext, "pull" | "issue">): number | undefined =>
  pull?.number ?? issue;

const issueOf = ({ issue, inputs }: JobEvent): number | undefined =>
  issue === undefined || issue.pull_request ? inputs?.issue : issue.number;

function pullOf(event: JobEvent, begun: RunOrigin | undefined): PullSeen | undefined {
  const { pull_request: pull, issue, workflow_run: run, inputs } = event;
  if (pull !== undefined)
    return {
      number: pull.number,
      branch: pull.head?.ref,
      headSha: pull.head?.sha,
      baseSha: pull.base?.sha,
    };
  const onIssue = issue?.pull_request ? issue.number : undefined;
  const number = begun?.pull ?? onIssue ?? run?.pull_requests[0]?.number ?? inputs?.pull;
  return number === undefined
    ? undefined
    : { number, branch: undefined, headSha: undefined, baseSha: undefined };
}
