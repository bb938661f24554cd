import type { Environment, RunOrigin } from "../../src/api/runs.ts";
import { forkOf } from "./fork.ts";
import { type JobEvent, readJobEvent } from "./job-event.ts";

/** The GitHub context of this job: repository, trigger, refs. */
export interface GitHubContext {
  readonly server: string;
  readonly api: string;
  /** `owner/name`. */
  readonly repository: string;
  /** The URL of the job's log. */
  readonly job: string;
  readonly event: string;
  /** The pull request it belongs to. */
  readonly pull: PullSeen | undefined;
  /** The issue that it was started from, if there is no pull request. */
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
  /** Set if it was closed before this event. */
  readonly settled?: { readonly number: number; readonly merged: boolean };
}

interface Started {
  readonly env: Environment;
  /** The event that started it. */
  readonly event: unknown;
}

/** Reads the GitHub context; `undefined` outside of GitHub. A resumed run keeps the origin it was started for. */
export function readGitHubContext(job: Started, origin?: RunOrigin): GitHubContext | undefined {
  const { env } = job;
  const repository = env["GITHUB_REPOSITORY"];
  if (!repository) return undefined;
  const server = env["GITHUB_SERVER_URL"] || "https://github.com";
  const event = readJobEvent(job);
  // A run started from an issue uses that conversation, unless it was triggered by its pull request.
  const seen = origin?.issue === undefined || origin.pull !== undefined ? pullOf(event, origin) : undefined;
  const { pull_request: pull, workflow_run: run, check_suite: suite, check_run: check } = event;
  return {
    server,
    api: env["GITHUB_API_URL"] || "https://api.github.com",
    repository,
    job: `${server}/${repository}/actions/runs/${env["GITHUB_RUN_ID"] ?? ""}`,
    event: env["GITHUB_EVENT_NAME"] ?? "",
    pull: seen,
    issue: origin?.issue ?? (seen === undefined ? issueOf(event) : undefined),
    fork: forkOf(job, repository),
    branch:
      pull?.head?.ref || env["GITHUB_HEAD_REF"] || run?.head_branch || suite?.head_branch || branchOf(env),
    head:
      origin?.head ?? pull?.head?.sha ?? run?.head_sha ?? check?.head_sha ?? (env["GITHUB_SHA"] || undefined),
  };
}

/**
 * The branch of a job; `undefined` for a pull request. For a merge queue, its target branch: the queue's own branches
 * are deleted soon.
 */
export function branchOf(env: Environment): string | undefined {
  const branch = /^refs\/heads\/(.+)$/.exec(env["GITHUB_REF"] ?? "")?.[1];
  return /^gh-readonly-queue\/(.+)\/pr-\d+-[0-9a-f]+$/.exec(branch ?? "")?.[1] ?? branch;
}

/** The number of the pull request or issue whose comments control the run. */
export const conversationIn = ({ pull, issue }: Pick<GitHubContext, "pull" | "issue">): number | undefined =>
  pull?.number ?? issue;

/** Where an event names a pull request, by the expressions that a workflow file has for it. */
const numbersIn = ({ pull_request: pull, issue, workflow_run: run, check_run: check, inputs }: JobEvent) =>
  ({
    "github.event.pull_request.number": pull?.number,
    "github.event.issue.number": issue?.pull_request ? issue.number : undefined,
    "github.event.workflow_run.pull_requests[0].number": run?.pull_requests[0]?.number,
    "github.event.check_run.pull_requests[0].number": check?.pull_requests[0]?.number,
    "inputs.pull": inputs?.pull,
  }) as const;

/** The ref of a pull request's head, as the workflow file of this job can name it. */
export function pullRefIn(job: Pick<Started, "event">, number: number): string {
  const named = Object.entries(numbersIn(readJobEvent(job))).find(([, one]) => one === number);
  return `refs/pull/${named === undefined ? number : `\${{ ${named[0]} }}`}/head`;
}

const issueOf = ({ issue, inputs }: JobEvent): number | undefined =>
  issue === undefined || issue.pull_request ? inputs?.issue : issue.number;

function pullOf(event: JobEvent, origin: RunOrigin | undefined): PullSeen | undefined {
  const { pull_request: pull, workflow_run: run, check_run: check } = event;
  if (pull !== undefined)
    return {
      number: pull.number,
      branch: pull.head?.ref,
      headSha: pull.head?.sha,
      baseSha: pull.base?.sha,
      ...(pull.state === "closed" && event.action !== "closed"
        ? { settled: { number: pull.number, merged: pull.merged === true } }
        : {}),
    };
  const number = origin?.pull ?? Object.values(numbersIn(event)).find((one) => one !== undefined);
  if (number === undefined) return undefined;
  const headSha = [run, check].find((it) => it?.pull_requests[0]?.number === number)?.head_sha;
  return { number, branch: undefined, headSha, baseSha: undefined };
}
