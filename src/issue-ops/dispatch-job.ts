import { z } from "zod";
import type { Comment } from "../engine/log-events.ts";
import { askIfThere } from "../github/api.ts";
import { DispatchError, dispatch } from "../github/dispatch.ts";
import type { RunStatus } from "../status/run-status.ts";
import type { Rules } from "./config.ts";
import type { RepositoryContext } from "./repository-context.ts";

interface Sleeper {
  readonly run: string;
  readonly rules: Rules;
  /** The last decision; a job verifies it again. */
  readonly comment: Comment | undefined;
}

/** What became of it: started, or left to the job that drives the run. */
export type DispatchResult =
  | { readonly how: "dispatched" | "running" | "here" }
  | { readonly how: "failed"; readonly because: string };

/** Resumes a run in a new job, unless a running job drives it already. */
export async function dispatchJob(
  site: RepositoryContext,
  { run, rules, comment }: Sleeper,
  status: RunStatus,
): Promise<DispatchResult> {
  if (status.summary.state === "running" && (await isAlive(site, status))) return { how: "running" };
  if (site.wake !== undefined) {
    await site.wake(run);
    return { how: "here" };
  }
  try {
    await dispatch(site, {
      workflow: status.origin?.workflow ?? rules.workflow,
      ref: site.defaultBranch,
      inputs: {
        "run-id": run,
        ...(comment === undefined ? {} : { "comment-id": String(comment.id), sha256: comment.sha256 }),
      },
    });
    site.count("dispatches");
    return { how: "dispatched" };
  } catch (error) {
    if (!(error instanceof DispatchError)) throw error;
    site.count("failed_dispatches");
    return { how: "failed", because: error.message };
  }
}

const job = z.object({ status: z.string() });

/** Whether the job that drove a run last may still be at it; in doubt it is. */
export async function isAlive({ api, owner, repo }: RepositoryContext, status: RunStatus): Promise<boolean> {
  if (status.job === undefined) return true;
  const route = "GET /repos/{owner}/{repo}/actions/runs/{run}";
  try {
    const found = await askIfThere(api, route, { owner, repo, run: status.job.run });
    return found !== undefined && job.parse(found).status !== "completed";
  } catch {
    return true;
  }
}
