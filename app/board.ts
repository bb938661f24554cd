import { z } from "zod";
import {
  checkName,
  checkPage,
  type GitHub,
  keepCheck,
  type Standing,
  stickyComment,
  stickyMarker,
} from "../src/index.ts";
import type { Site } from "./site.ts";

/** Brings the comment and the check of a run up to date with its record; what cannot be posted stops nothing. */
export async function showRun(site: Site, standing: Standing, note?: string): Promise<void> {
  const { pull, head } = standing.origin ?? {};
  const place = { server: site.server, repository: `${site.owner}/${site.repo}` };
  const shows = [
    ...(pull === undefined ? [] : [keepSticky(site, pull, bodyOf(standing, place, note))]),
    ...(head === undefined ? [] : [showCheck(site, standing, { ...place, head })]),
  ];
  for (const shown of await Promise.allSettled(shows)) if (shown.status === "rejected") site.count("faults");
}

/** The most characters of a comment. */
const mostBody = 65_536;

interface Place {
  readonly server: string;
  readonly repository: string;
}

function bodyOf(standing: Standing, place: Place, note: string | undefined) {
  const marker = stickyMarker(standing.summary.run);
  const body = stickyComment(standing, place);
  const noted =
    note === undefined ? body : body.replace(marker, () => `${marker}\n> [!WARNING]\n> ${note}\n`);
  return { marker, body: noted.length > mostBody ? body : noted };
}

const comments = z.array(
  z.object({
    id: z.number(),
    body: z.string().nullish(),
    user: z.object({ type: z.string() }).nullish(),
  }),
);

interface Sticky {
  readonly marker: string;
  readonly body: string;
}

/** One comment for each run, whichever program of the repository posted it first: the action, or the app. */
async function keepSticky(site: Site, pull: number, { marker, body }: Sticky): Promise<void> {
  const { api, owner, repo } = site;
  for (let page = 1; page <= mostPages; page++) {
    const route = "GET /repos/{owner}/{repo}/issues/{pull}/comments";
    const { data } = await api.request(route, { owner, repo, pull, per_page: 100, page });
    const all = comments.parse(data);
    const found = all.find((one) => one.user?.type === "Bot" && one.body?.startsWith(marker) === true);
    if (found?.body === body) return;
    if (found !== undefined) {
      const edit = "PATCH /repos/{owner}/{repo}/issues/comments/{comment}";
      return void (await api.request(edit, { owner, repo, comment: found.id, body }));
    }
    if (all.length < 100) break;
  }
  await api.request("POST /repos/{owner}/{repo}/issues/{pull}/comments", { owner, repo, pull, body });
}

const mostPages = 30;

async function showCheck(
  site: Site,
  standing: Standing,
  place: Place & { readonly head: string },
): Promise<void> {
  const { owner, repo, api } = site;
  const github: GitHub = {
    at: { owner, repo },
    request: api.request as GitHub["request"],
    login: async () => site.me ?? "",
  };
  const { summary } = standing;
  const check = { head: place.head, name: checkName(summary), externalId: summary.run };
  await keepCheck(github, check, checkPage(standing, place));
}
