import { z } from "zod";
import { checkName, checkPage, type Standing, stickyComment, stickyMarker } from "../src/index.ts";
import { keepOurCheck } from "./check.ts";
import type { Site } from "./site.ts";

/**
 * Brings the comment and the check of a run up to date with its record, not more often than hosts like it: what comes
 * too soon is shown a little later. What cannot be posted stops nothing.
 */
export async function showRun(site: Site, standing: Standing, note?: string): Promise<void> {
  const run = `${site.owner}/${site.repo}/${standing.summary.run}`;
  const show = () => showNow(site, standing, note);
  const wait = (last.get(run) ?? Number.NEGATIVE_INFINITY) + paceMs - performance.now();
  clearTimeout(due.get(run));
  due.delete(run);
  if (wait > 0) return void due.set(run, setTimeout(() => void showLater(run, show), wait).unref());
  remember(run);
  await show();
}

const paceMs = 10_000;
const last = new Map<string, number>();
const due = new Map<string, NodeJS.Timeout>();

async function showLater(run: string, show: () => Promise<void>): Promise<void> {
  due.delete(run);
  remember(run);
  await show();
}

function remember(run: string): void {
  last.delete(run);
  last.set(run, performance.now());
  if (last.size > 1_000) last.delete(last.keys().next().value ?? "");
}

async function showNow(site: Site, standing: Standing, note: string | undefined): Promise<void> {
  const { pull, head } = standing.origin ?? {};
  const page = site.pageOf(standing.summary.run);
  const place = { server: site.server, repository: `${site.owner}/${site.repo}`, page };
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
  readonly page: string | undefined;
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
  const [found] = await findStickies(site, pull, marker);
  const edit = async (comment: number) =>
    void (await api.request("PATCH /repos/{owner}/{repo}/issues/comments/{comment}", {
      owner,
      repo,
      comment,
      body,
    }));
  if (found?.body === body) return;
  if (found !== undefined) return await edit(found.id);
  const route = "POST /repos/{owner}/{repo}/issues/{pull}/comments";
  const made = idSchema.parse((await api.request(route, { owner, repo, pull, body })).data);
  // Another copy of us may have posted at the same moment: the first one stays.
  const [first] = await findStickies(site, pull, marker);
  if (first === undefined || first.id === made.id) return;
  const gone = "DELETE /repos/{owner}/{repo}/issues/comments/{comment}";
  await api.request(gone, { owner, repo, comment: made.id });
  await edit(first.id);
}

const idSchema = z.object({ id: z.number() });

/** The comments with a marker, the oldest first; people may write a marker too, and are passed over. */
async function findStickies({ api, owner, repo }: Site, pull: number, marker: string) {
  const found: z.infer<typeof comments> = [];
  for (let page = 1; page <= mostPages; page++) {
    const route = "GET /repos/{owner}/{repo}/issues/{pull}/comments";
    const { data } = await api.request(route, { owner, repo, pull, per_page: 100, page });
    const all = comments.parse(data);
    found.push(...all.filter(({ user, body }) => user?.type === "Bot" && body?.startsWith(marker) === true));
    if (all.length < 100) break;
  }
  return found.toSorted((a, b) => a.id - b.id);
}

const mostPages = 30;

async function showCheck(
  site: Site,
  standing: Standing,
  place: Place & { readonly head: string },
): Promise<void> {
  const { summary } = standing;
  const check = { head: place.head, name: checkName(summary), externalId: summary.run };
  await keepOurCheck(site, check, { ...checkPage(standing, place), page: place.page });
}
