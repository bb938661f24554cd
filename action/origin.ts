import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { z } from "zod";
import type { Origin, StandingJob } from "../src/index.ts";
import type { Job } from "./job.ts";

const pull = z.object({ number: z.int() });

/** What of the event we read; GitHub sends much more. */
const event = z.object({
  pull_request: pull
    .extend({ head: z.object({ sha: z.string(), ref: z.string() }).optional() })
    .optional()
    .catch(undefined),
  issue: pull.extend({ pull_request: z.unknown() }).optional().catch(undefined),
  workflow_run: z
    .object({
      head_sha: z.string(),
      head_branch: z.string().nullish(),
      pull_requests: z.array(pull).optional(),
    })
    .optional()
    .catch(undefined),
  repository: z.object({ default_branch: z.string() }).optional().catch(undefined),
});

/** The event that started this job; empty where the runner tells of none. */
export function readJobEvent({ env }: Job): z.infer<typeof event> {
  const path = env["GITHUB_EVENT_PATH"];
  if (!path) return {};
  try {
    return event.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return {};
  }
}

/** Where a run that this job begins comes from; `undefined` outside a job of a repository. */
export function originOf(job: Job, cwd: string): Origin | undefined {
  const { env } = job;
  const repository = env["GITHUB_REPOSITORY"];
  if (!repository) return undefined;
  const about = readJobEvent(job);
  const { pull_request: pulled, issue, workflow_run: run } = about;
  const onPull = issue?.pull_request === undefined ? undefined : issue.number;
  const [branch] = [pulled?.head?.ref, env["GITHUB_HEAD_REF"], run?.head_branch, branchOf(env)].filter(
    Boolean,
  );
  return defined({
    repository,
    pull: pulled?.number ?? onPull ?? run?.pull_requests?.[0]?.number,
    head: pulled?.head?.sha ?? run?.head_sha ?? (env["GITHUB_SHA"] || undefined),
    branch: branch ?? undefined,
    workflow: workflowOf(env),
    actor: env["GITHUB_ACTOR"] || undefined,
    folder: relative(job.workspace, cwd) || undefined,
  });
}

/** The branch whose workflow file goes on with a run: this job's, or the default one where it runs on none. */
export const homeBranch = (job: Job): string =>
  branchOf(job.env) ?? readJobEvent(job).repository?.default_branch ?? "main";

/** This job, as its host counts it. */
export function standingJob({ env }: Job): StandingJob | undefined {
  const [run, attempt] = [Number(env["GITHUB_RUN_ID"]), Number(env["GITHUB_RUN_ATTEMPT"] ?? 1)];
  return Number.isSafeInteger(run) && run > 0 ? { run, attempt: attempt || 1 } : undefined;
}

const branchOf = (env: Job["env"]) => /^refs\/heads\/(.+)$/.exec(env["GITHUB_REF"] ?? "")?.[1];

/** `owner/name/.github/workflows/loop.yml@refs/heads/main` names the file, unless it is another repository's. */
function workflowOf(env: Job["env"]): string | undefined {
  const found = /^([^/]+\/[^/]+)\/(\.github\/workflows\/[^/@]+)@/.exec(env["GITHUB_WORKFLOW_REF"] ?? "");
  return found?.[1] === env["GITHUB_REPOSITORY"] ? found?.[2] : undefined;
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

const defined = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Defined<T>;
