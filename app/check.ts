import { keepCheck } from "../src/index.ts";
import { githubOf, type Site } from "./site.ts";

type Place = Parameters<typeof keepCheck>[1];
type Shown = Parameters<typeof keepCheck>[2];

/** Shows a check of ours on a commit: the one that is there, or a new one. */
export async function keepOurCheck(site: Site, place: Place, shown: Shown): Promise<void> {
  await keepCheck(githubOf(site), place, shown);
}
