import { join } from "node:path";
import { findBranchHost, type GitHub, type Remote, type World } from "../../src/index.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";
import type { Site } from "../job/site.ts";

/** What is around a run: its inputs, its checkout, its job and the host. */
export interface Place {
  readonly inputs: Inputs;
  readonly cwd: string;
  readonly job: Job;
  readonly site: Site;
  readonly github: GitHub | undefined;
  /** Where branches are pushed to; `undefined` where none is. */
  readonly remote: Remote | undefined;
  /** The commit that was checked out before the run. */
  readonly base: string | undefined;
  /** What was put back in the checkout before the run, from the top. */
  readonly restored: readonly string[];
}

/** What was heard of a run while it went on. */
export interface Heard {
  readonly world: World | undefined;
  readonly iterations: readonly { readonly number: number; readonly snapshot: string }[];
  /** The snapshot that the last checks looked at; `undefined` where the workflow went on after them. */
  readonly checked: string | undefined;
}

/** Where the private repository of a run is, in this job. */
export const snapshotsOf = (job: Job, run: string) =>
  join(job.folder, "runs", run, "workspace", "snapshots.git");

/** The way to the repository's own branches, with a token of this job. */
export const branchesOf = (
  { site, job, cwd }: Pick<Place, "site" | "job" | "cwd">,
  token: string | undefined,
): Promise<Remote> =>
  findBranchHost({
    cwd,
    url: `${site.server}/${site.repository}.git`,
    token: token ?? "",
    environment: job.env,
  });
