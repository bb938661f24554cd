import { join } from "node:path";
import type { GitHub } from "../../src/api/github.ts";
import { findBranchHost, type Remote } from "../../src/api/publishing.ts";
import type { RunEnvironment } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubContext } from "../job/github-context.ts";
import type { Job } from "../job/job.ts";

/** Everything that publishing needs: the action's inputs, the checkout, the job and the host. */
export interface PublishContext {
  readonly inputs: Inputs;
  readonly cwd: string;
  readonly job: Job;
  readonly site: GitHubContext;
  readonly github: GitHub | undefined;
  /** A client with the token for pushing, if it is another one. */
  readonly opener: GitHub | undefined;
  /** The remote to push to; `undefined` if nothing is pushed. */
  readonly remote: Remote | undefined;
  /** The commit that was checked out before the run. */
  readonly base: string | undefined;
  /** Why there is no token for publishing, at the end of a run. */
  readonly refused?: unknown;
  /** Files restored in the checkout before the run, relative to the top. */
  readonly restored: readonly string[];
}

/** What was observed while the run was running. */
export interface IterationSnapshots {
  readonly environment: RunEnvironment | undefined;
  readonly iterations: readonly { readonly number: number; readonly snapshot: string }[];
  /** The snapshot that the last checks tested; `undefined` if the workflow continued after them. */
  readonly checked: string | undefined;
}

/** True if pushes run workflows without approval, which those with the job's own token do not. */
export const startsWorkflows = (inputs: Inputs): boolean =>
  inputs["push-token"] !== undefined || inputs["app-id"] !== undefined;

/** The token for pushing, as the inputs name it. */
export const pushTokenName = (inputs: Inputs): string => {
  if (inputs["app-id"] !== undefined) return "the token of `app-id`";
  return inputs["push-token"] === undefined ? "`github-token`" : "`push-token`";
};

/** A run's private repository in this job. */
export const snapshotsOf = (job: Job, run: string) =>
  join(job.folder, "runs", run, "workspace", "snapshots.git");

/** The repository's own remote, accessed with a token of this job. */
export const branchesOf = (
  { site, job, cwd }: Pick<PublishContext, "site" | "job" | "cwd">,
  token: string | undefined,
): Promise<Remote> =>
  findBranchHost({
    cwd,
    url: `${site.server}/${site.repository}.git`,
    token: token ?? "",
    environment: job.env,
  });
