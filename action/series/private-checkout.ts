import { join } from "node:path";
import { findRepository, gitWorkspace } from "../../src/api/publishing.ts";
import { endSignal } from "../../src/api/runs.ts";
import type { Job } from "../job/job.ts";

/** A checkout as the work tree of a private repository. */
export interface PrivateCheckout {
  readonly gitDir: string;
  /** Sets the files of the checkout to those of a commit. */
  restore(commit: string): Promise<void>;
}

/** Opens the private repository of a goal, with the original checkout committed; `undefined` outside of git. */
export async function openPrivateCheckout(cwd: string, job: Job): Promise<PrivateCheckout | undefined> {
  const repository = await findRepository(cwd);
  if (repository === undefined) return undefined;
  const dir = join(job.folder, "goal");
  const workspace = gitWorkspace({ privateDir: () => dir });
  const context = { runId: "goal", signal: endSignal, workspace: repository.top };
  await workspace.handle({ op: "snapshot", since: undefined, message: "as it came" }, context);
  const gitDir = join(dir, "snapshots.git");
  return {
    gitDir,
    restore: async (commit) => void (await workspace.handle({ op: "restore", commit }, context)),
  };
}
