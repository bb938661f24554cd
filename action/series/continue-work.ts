import type { Job } from "../job/job.ts";
import { workSoFar } from "../publish/work-so-far.ts";
import type { PrivateCheckout } from "./private-checkout.ts";

type Continuation = Omit<Parameters<typeof workSoFar>[0], "gitDir"> & { readonly checkout: PrivateCheckout };

/**
 * Restores the work of the goal's branch into the checkout; returns files that conflict and contain git's markers.
 */
export async function continueWork(
  { checkout, ...continuation }: Continuation,
  job: Job,
): Promise<{ readonly hasWork: boolean; readonly conflicts: readonly string[] }> {
  const commits = await workSoFar({ gitDir: checkout.gitDir, ...continuation });
  if (commits.tip === undefined) return { hasWork: false, conflicts: [] };
  await checkout.restore(commits.tip);
  const { tip, base } = continuation;
  const marked =
    commits.conflicts.length === 0 ? "" : `; conflicts in ${commits.conflicts.slice(0, 5).join(", ")}`;
  job.log.say(`Continues the work of ${tip.slice(0, 12)} on top of ${base.slice(0, 12)}${marked}`);
  return { hasWork: true, conflicts: commits.conflicts };
}
