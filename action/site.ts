import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Environment } from "../src/index.ts";

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
  /** The commit that checks are shown on. */
  readonly head: string | undefined;
}

export interface PullSeen {
  readonly number: number;
  /** The branch it comes from and the commit it goes to; not known of a comment. */
  readonly branch: string | undefined;
  readonly baseSha: string | undefined;
}

const repo = z.object({ full_name: z.string() });
const side = z.object({ ref: z.string(), sha: z.string(), repo: repo.nullish() });
const payload = z.object({
  pull_request: z.object({ number: z.int(), head: side, base: side }).optional().catch(undefined),
  issue: z.object({ number: z.int(), pull_request: z.unknown().optional() }).optional().catch(undefined),
  workflow_run: z
    .object({
      head_sha: z.string(),
      head_repository: repo.nullish(),
      pull_requests: z.array(z.object({ number: z.int() })).default([]),
    })
    .optional()
    .catch(undefined),
});

type Payload = z.infer<typeof payload>;

/** Reads where this job is; `undefined` outside of GitHub. */
export function readSite(env: Environment): Site | undefined {
  const repository = env["GITHUB_REPOSITORY"];
  if (!repository) return undefined;
  const server = env["GITHUB_SERVER_URL"] || "https://github.com";
  const said = payloadAt(env["GITHUB_EVENT_PATH"]);
  const { pull_request: pull, workflow_run: run } = said;
  const from = pull === undefined ? run?.head_repository : pull.head.repo;
  const source = from === null ? "a repository that is gone" : from?.full_name;
  return {
    server,
    api: env["GITHUB_API_URL"] || "https://api.github.com",
    repository,
    job: `${server}/${repository}/actions/runs/${env["GITHUB_RUN_ID"] ?? ""}`,
    event: env["GITHUB_EVENT_NAME"] ?? "",
    pull: pullOf(said),
    fork: source === undefined || source.toLowerCase() === repository.toLowerCase() ? undefined : source,
    head: pull?.head.sha ?? run?.head_sha ?? (env["GITHUB_SHA"] || undefined),
  };
}

function pullOf({ pull_request: pull, issue, workflow_run: run }: Payload): PullSeen | undefined {
  if (pull !== undefined) return { number: pull.number, branch: pull.head.ref, baseSha: pull.base.sha };
  const number = issue?.pull_request ? issue.number : run?.pull_requests[0]?.number;
  return number === undefined ? undefined : { number, branch: undefined, baseSha: undefined };
}

function payloadAt(path: string | undefined): Payload {
  try {
    return payload.parse(JSON.parse(readFileSync(path ?? "", "utf8")));
  } catch {
    return {};
  }
}
