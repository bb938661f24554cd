import { z } from "zod";
import type { Comment } from "../engine/command-events.ts";
import { askIfThere } from "../github/api.ts";
import { DispatchError, dispatch } from "../github/dispatch.ts";
import type { RunStatus } from "../status/run-status.ts";
import type { Rules } from "./config.ts";
import type { RepositoryContext } from "./repository-context.ts";

interface Sleeper {
  readonly run: string;
  readonly rules: Rules;
  /** The comment with the last decision; the job verifies it again. */
  readonly comment: Comment | undefined;
}

/** The result: a job was started, or the job that drives the run will handle it. */
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
    const because = await site.wake(run);
    return because === undefined ? { how: "here" } : { how: "failed", because };
  }
  try {
    await dispatch(site, {
      workflow: status.origin?.workflow ?? rules.workflow,
      ref: site.defaultBranch,
      inputs: { "run-id": run, ...(comment && { "comment-id": String(comment.id), sha256: comment.sha256 }) },
    });
    site.count("dispatches");
    return { how: "dispatched" };
  } catch (error) {
    if (!(error instanceof DispatchError)) throw error;
    site.count("failed_dispatches");
    return { how: "failed", because: error.message };
  }
}

/**
 * A re-run of the job that executed a comment's command continues the run, because the first attempt may have been
 * lost.
 */
export async function startAgain(
  site: RepositoryContext,
  { run, status }: { readonly run: string; readonly status: RunStatus },
): Promise<boolean> {
  if (!site.isRerun || site.wake === undefined || status.summary.state === "ended") return false;
  if (status.summary.state === "running" && (await isAlive(site, status))) return false;
  await site.wake(run);
  return true;
}

const job = z.object({ status: z.string(), run_attempt: z.number().optional() });

/** True if the job that last drove a run may still be running; in doubt, true. A re-run is a different job. */
export async function isAlive({ api, owner, repo }: RepositoryContext, status: RunStatus): Promise<boolean> {
  if (status.job === undefined) return true;
  const route = "GET /repos/{owner}/{repo}/actions/runs/{run}";
  try {
    const response = await askIfThere(api, route, { owner, repo, run: status.job.run });
    if (response === undefined) return false;
    const { status: now, run_attempt: attempt = status.job.attempt } = job.parse(response);
    return now !== "completed" && attempt === status.job.attempt;
  } catch {
    return true;
  }
}
