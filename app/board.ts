import type { Standing } from "../src/index.ts";
import { githubOf, type Site } from "./site.ts";
import { tellCheck, tellComment } from "./telling.ts";

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
  const { server } = site;
  const teller = { github: githubOf(site), server, page: site.pageOf(standing.summary.run) };
  const shows = [
    ...(pull === undefined ? [] : [tellComment(teller, standing, { pull, note })]),
    ...(head === undefined ? [] : [tellCheck(teller, standing, { head })]),
  ];
  for (const shown of await Promise.allSettled(shows)) if (shown.status === "rejected") site.count("faults");
}
