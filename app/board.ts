import { readStanding, type Standing } from "../src/index.ts";
import { githubOf, type Site } from "./site.ts";
import { type Teller, tellCheck, tellComment } from "./telling.ts";
import { keptWords } from "./words.ts";

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
    ...(pull === undefined ? [] : [showComment(site, standing, { teller, pull, note })]),
    ...(head === undefined ? [] : [tellCheck(teller, standing, { head })]),
  ];
  for (const shown of await Promise.allSettled(shows)) if (shown.status === "rejected") site.count("faults");
}

interface Shown {
  readonly teller: Teller;
  readonly pull: number;
  readonly note: string | undefined;
}

async function showComment(site: Site, standing: Standing, { teller, ...shown }: Shown): Promise<void> {
  const { id } = await tellComment(teller, standing, shown);
  if (id !== standing.comment) await noteComment(site, standing.summary.run, id);
}

/** Puts on record which comment is the run's: a job that writes by another login goes on with it. */
async function noteComment(site: Site, run: string, comment: number): Promise<void> {
  for (let round = 1; round <= mostRounds; round++) {
    const { tip } = await site.look(run, { lines: true });
    const standing = readStanding(tip?.state["standing"]);
    if (tip === undefined || standing === undefined || standing.comment === comment) return;
    const state = { standing: { ...standing, comment }, said: keptWords(tip, []) };
    if (await site.runs.append(tip, { lines: [], owner: "the app", at: site.now(), state })) return;
  }
}

/** A job that has just begun writes too; it will find the comment by its own login, most likely. */
const mostRounds = 3;
