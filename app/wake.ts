import { z } from "zod";
import { askIfThere, type Comment, DispatchError, dispatch, type Standing } from "../src/index.ts";
import type { Rules } from "./config.ts";
import type { Site } from "./site.ts";

interface Sleeper {
  readonly run: string;
  readonly rules: Rules;
  /** What was said last; a job proves it anew. */
  readonly comment: Comment | undefined;
}

/** What became of it: started, or left to the job that drives the run. */
export type Woken =
  | { readonly how: "dispatched" | "running" | "here" }
  | { readonly how: "failed"; readonly because: string };

/** Has a run go on: in a job of its own, unless one that lives drives it already. */
export async function wake(site: Site, { run, rules, comment }: Sleeper, standing: Standing): Promise<Woken> {
  if (standing.summary.state === "running" && (await isAlive(site, standing))) return { how: "running" };
  if (site.wake !== undefined) {
    await site.wake(run);
    return { how: "here" };
  }
  try {
    await dispatch(site, {
      workflow: standing.origin?.workflow ?? rules.workflow,
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
export async function isAlive({ api, owner, repo }: Site, standing: Standing): Promise<boolean> {
  if (standing.job === undefined) return true;
  const route = "GET /repos/{owner}/{repo}/actions/runs/{run}";
  try {
    const found = await askIfThere(api, route, { owner, repo, run: standing.job.run });
    return found !== undefined && job.parse(found).status !== "completed";
  } catch {
    return true;
  }
}
