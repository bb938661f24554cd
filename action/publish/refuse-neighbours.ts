import { loadGitHub } from "../../src/api/github.ts";
import { RefusedError } from "../job/job.ts";
import type { PublishContext } from "./publish-context.ts";
import type { PublishPlan } from "./publish-plan.ts";

/** Throws `RefusedError` if another branch is in the way of the work's; checked before anything costs money. */
export async function refuseNeighbours(
  { github }: PublishContext,
  { branch, way }: PublishPlan,
): Promise<void> {
  if (github === undefined || way === "push") return;
  const { readBranchInTheWay } = await loadGitHub();
  // If the host is unavailable now, the push will show it.
  const other = await readBranchInTheWay(github, branch).catch(() => undefined);
  if (other === undefined) return;
  throw new RefusedError(
    `the branch ${other} exists, so there can be none with the name ${branch}: rename or delete it, or set another \`branch\``,
  );
}
