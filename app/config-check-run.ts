import { githubOf, keepCheck, type RepositoryContext } from "../src/api/github.ts";

type CheckTarget = Parameters<typeof keepCheck>[1];
type Shown = Parameters<typeof keepCheck>[2];

/** Creates or updates our check on a commit. */
export async function keepOurCheck(
  site: RepositoryContext,
  target: CheckTarget,
  shown: Shown,
): Promise<void> {
  await keepCheck(githubOf(site), target, shown);
}
