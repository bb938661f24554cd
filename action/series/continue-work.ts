import { type GitHub, loadGitHub } from "../../src/api/github.ts";
import type { Remote } from "../../src/api/publishing.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";
import { few } from "../job/workflow-commands.ts";
import { workSoFar } from "../publish/work-so-far.ts";
import type { PrivateCheckout } from "./private-checkout.ts";

interface Continuation {
  readonly checkout: PrivateCheckout;
  readonly github: GitHub;
  readonly remote: Remote;
  readonly inputs: Inputs;
  /** The tip of the goal's branch. */
  readonly tip: string;
  readonly base: string;
}

export const noWork = { hasWork: false, conflicts: [] as readonly string[] };

/** Restores the work of the goal's branch into the checkout; returns files that conflict and contain git's markers. */
export async function continueWork(
  { checkout, github, ...branch }: Continuation,
  job: Job,
): Promise<typeof noWork> {
  const { tip: work, base } = branch;
  const { readMergeBase } = await loadGitHub();
  const mergeBase = await readMergeBase(github, base, work).catch((error: unknown) => {
    // The base's history was rewritten completely: there is no common commit to merge from.
    if ((error as { readonly status?: unknown }).status === 404) return undefined;
    throw error;
  });
  if (mergeBase === undefined) return noWork;
  const { tip, conflicts } = await workSoFar({ gitDir: checkout.gitDir, mergeBase, ...branch });
  if (tip === undefined) return noWork;
  await checkout.handle({ op: "restore", commit: tip });
  const marked = conflicts.length === 0 ? "" : `; conflicts in ${few(conflicts)}`;
  job.log.say(`Continues the work of ${work.slice(0, 12)} on top of ${base.slice(0, 12)}${marked}`);
  return { hasWork: true, conflicts };
}
