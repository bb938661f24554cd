import { type GitHub, keepCheck } from "../src/index.ts";
import type { Site } from "./site.ts";

type Place = Parameters<typeof keepCheck>[1];
type Shown = Parameters<typeof keepCheck>[2];

/** Shows a check of ours on a commit: the one that is there, or a new one. */
export async function keepOurCheck(site: Site, place: Place, shown: Shown): Promise<void> {
  const { owner, repo, api, me } = site;
  const request = api.request as GitHub["request"];
  await keepCheck({ at: { owner, repo }, request, login: async () => me ?? "" }, place, shown);
}
