import type { Environment, Origin } from "../../src/index.ts";
import { type JobEvent, readJobEvent } from "./job-event.ts";

/** Where on GitHub this job runs, and what made it run. */
export interface Site {
  readonly server: string;
  readonly api: string;
  /** `owner/name`. */
  readonly repository: string;
  /** The address of the job's log. */
  readonly job: string;
  readonly event: string;
  /** The pull request it is about. */
  readonly pull: PullSeen | undefined;
  /** The repository whose commit is checked, where it is not this one. */
  readonly fork: string | undefined;
  /** The branch it works on, and the commit at its tip. */
  readonly branch: string | undefined;
  readonly head: string | undefined;
}

export interface PullSeen {
  readonly number: number;
  /** The branch it comes from with its tip, and the commit it goes to; not known where the event only names it. */
  readonly branch: string | undefined;
  readonly headSha: string | undefined;
  readonly baseSha: string | undefined;
}

interface Started {
  readonly env: Environment;
  /** What made it run. */
  readonly event: unknown;
}

/** Reads where this job is; `undefined` outside of GitHub. A run that goes on is still about what it began with. */
export function readSite(job: Started, begun?: Origin): Site | undefined {
  const { env } = job;
  const repository = env["GITHUB_REPOSITORY"];
  if (!repository) return undefined;
  const server = env["GITHUB_SERVER_URL"] || "https://github.com";
  const said = readJobEvent(job);
  const { pull_request: pull, workflow_run: run } = said;
  return {
    server,
    api: env["GITHUB_API_URL"] || "https://api.github.com",
    repository,
    job: `${server}/${repository}/actions/runs/${env["GITHUB_RUN_ID"] ?? ""}`,
    event: env["GITHUB_EVENT_NAME"] ?? "",
    pull: pullOf(said, begun),
    fork: forkOf(said, repository),
    branch: pull?.head?.ref || env["GITHUB_HEAD_REF"] || run?.head_branch || branchOf(env),
    head: begun?.head ?? pull?.head?.sha ?? run?.head_sha ?? (env["GITHUB_SHA"] || undefined),
  };
}

/** The branch that a job runs on; `undefined` for that of a pull request. */
export const branchOf = (env: Environment): string | undefined =>
  /^refs\/heads\/(.+)$/.exec(env["GITHUB_REF"] ?? "")?.[1];

function forkOf({ pull_request: pull, workflow_run: run }: JobEvent, repository: string): string | undefined {
  const from = pull?.head === undefined ? run?.head_repository : pull.head.repo;
  const source = from === null ? "a repository that is gone" : from?.full_name;
  return source?.toLowerCase() === repository.toLowerCase() ? undefined : source;
}

function pullOf(said: JobEvent, begun: Origin | undefined): PullSeen | undefined {
  const { pull_request: pull, issue, workflow_run: run, inputs } = said;
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
