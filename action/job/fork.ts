import { z } from "zod";
import type { Environment } from "../../src/api/runs.ts";

interface Started {
  readonly env: Environment;
  readonly event: unknown;
}

/**
 * The origin of a job's code and texts, if it is not this repository, for every event that a stranger can trigger. An
 * unreadable event counts as a stranger's.
 */
export function forkOf({ env, event }: Started, repository: string): string | undefined {
  const named = partsByEvent[env["GITHUB_EVENT_NAME"] ?? ""];
  const fields = z.record(z.string(), z.unknown()).safeParse(event).data ?? {};
  // The event keeps the name from before a renaming, in every part; the job may already have the new one.
  const own = repo.safeParse(fields["repository"]).data?.full_name ?? repository;
  const parts = new Set([...Object.keys(fields).filter(isPart), ...(named === undefined ? [] : [named])]);
  for (const part of parts) {
    const read = readers[part].safeParse(part === "branches" ? fields : fields[part]);
    const source = read.success ? read.data : unreadable;
    if (source?.toLowerCase() !== own.toLowerCase() && source !== undefined) return source;
  }
  return undefined;
}

const unreadable = "an unknown repository";
const gone = "a deleted repository";
const unnamed = "another repository";

type Part = keyof typeof readers;

const repo = z.object({ full_name: z.string() });
const nameOf = (from: z.infer<typeof repo> | null) => (from === null ? gone : from.full_name);
const onBranch = (branch: string | null) => (branch === null ? unnamed : undefined);

/** GitHub omits the branch if a check's commit is on no branch of this repository. */
const suite = z.object({ head_branch: z.string().nullable() }).transform((it) => onBranch(it.head_branch));

/** The fields of events that name a commit's origin; `undefined` means this repository. */
const readers = {
  pull_request: z
    .object({ number: z.int(), head: z.object({ repo: repo.nullable() }).optional() })
    .transform(({ head }) => head && nameOf(head.repo)),
  // Its pull request is read by number before anything else.
  issue: z.object({ number: z.int() }).transform(() => undefined),
  workflow_run: z.object({ head_repository: repo.nullable() }).transform((it) => nameOf(it.head_repository)),
  check_suite: suite,
  check_run: z.object({ check_suite: suite }).transform((it) => it.check_suite),
  // For a status event: the branches of this repository that contain its commit.
  branches: z
    .object({ branches: z.array(z.unknown()) })
    .transform((it) => (it.branches.length === 0 ? unnamed : undefined)),
  // A bare commit may come from a fork, since commits of pull requests can be deployed too.
  deployment: z
    .object({ ref: z.string() })
    .transform(({ ref }) => (/^([0-9a-f]{40,64}|refs\/pull\/.*)$/.test(ref) ? unnamed : undefined)),
} as const;

const isPart = (key: string): key is Part => Object.hasOwn(readers, key);

const partsByEvent: Readonly<Record<string, Part>> = {
  pull_request: "pull_request",
  pull_request_target: "pull_request",
  pull_request_review: "pull_request",
  pull_request_review_comment: "pull_request",
  issue_comment: "issue",
  workflow_run: "workflow_run",
  check_suite: "check_suite",
  check_run: "check_run",
  status: "branches",
  deployment: "deployment",
  deployment_status: "deployment",
};
