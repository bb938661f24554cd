import { killLeftovers } from "../../src/api/runs.ts";
import type { Job } from "../job/job.ts";
import type { OpenedStore } from "./open-store.ts";

/** Kills processes that the run left running, and reports them; returns whether there were any. */
export async function killRemaining(
  { run, keeping }: { readonly run: string; readonly keeping: OpenedStore },
  job: Job,
): Promise<boolean> {
  try {
    const artifacts = await keeping.store.artifacts(run);
    const left = killLeftovers({
      artifacts,
      folders: [job.workspace, job.folder],
      machine: job.env["RUNNER_ENVIRONMENT"] === "github-hosted",
    });
    if (left.length === 0) return false;
    const which = left.slice(0, 5).map((command) => job.withoutSecrets(command));
    const more = left.length > 5 ? ` and ${left.length - 5} more` : "";
    const message = `still running when the run ended or paused, and killed: ${which.join("; ")}${more}`;
    job.log.annotate({ level: "warning", title: "until-green", message });
    return true;
  } catch {
    // If the run's folder cannot be reached, its result says so.
    return false;
  }
}
