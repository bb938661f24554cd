import { endLeftovers } from "../../src/index.ts";
import type { Job } from "../job/job.ts";
import type { Keeping } from "./keeping.ts";

/** Ends what the run started and left running, and says so; answers whether there was anything. */
export async function endWhatIsLeft(
  { run, keeping }: { readonly run: string; readonly keeping: Keeping },
  job: Job,
): Promise<boolean> {
  try {
    const artifacts = await keeping.store.artifacts(run);
    const left = endLeftovers({ artifacts, folders: [job.workspace, job.folder] });
    if (left.length === 0) return false;
    const which = left.slice(0, 5).map((command) => job.withoutSecrets(command));
    const more = left.length > 5 ? ` and ${left.length - 5} more` : "";
    const message = `still at work when the run came to rest, and ended: ${which.join("; ")}${more}`;
    job.log.annotate({ level: "warning", title: "until-green", message });
    return true;
  } catch {
    // Where the run's folder cannot be reached, its ending says that.
    return false;
  }
}
