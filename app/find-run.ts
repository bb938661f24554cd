import { z } from "zod";
import {
  isRunId,
  itemOf,
  nearest,
  type RunWords,
  readStanding,
  type Standing,
  type Tip,
} from "../src/index.ts";
import { isOurs, type Remark, type Site } from "./site.ts";

/** A run somebody speaks of, and what they say of it. */
export interface Found {
  readonly run: string;
  readonly tip: Tip;
  readonly standing: Standing;
  /** Where the pull request stands now. */
  readonly head: string | undefined;
  /** Without the run's id. */
  readonly text: string;
}

/** Finds the run that words on a pull request are about; says why where it is not clear. */
export async function findRun(
  site: Site,
  words: RunWords,
  { pull, by }: Pick<Remark, "pull" | "by">,
): Promise<Found | { readonly refused: string; readonly items?: readonly KnownRun[] }> {
  const { word, rest, text } = words;
  if (word !== undefined) {
    const { tip, head } = await site.look(word, { pull, by });
    if (tip !== undefined) return belonging(site, { tip, head, pull, text: rest });
    const items = await itemsOf(site, word, { pull, by });
    if (items.length > 0)
      return { refused: `say which item of \`${word}\`: ${items.map(nameOf).join(", ")}`, items };
  }
  const runs = await runsOf(site, { pull, by });
  if (word !== undefined && isMeantAsId(word, runs))
    return { refused: `there is no run \`${word}\` here; ${listOf(runs, pull)}` };
  const waiting = runs.filter(({ standing }) => isAnswerable(standing, words.kind));
  const [only, ...others] = waiting;
  if (only === undefined) return { refused: noneFor(words.kind, runs, pull) };
  if (others.length > 0) return { refused: `say which run: ${waiting.map(nameOf).join(", ")}` };
  if (only.head !== undefined) return { ...only, run: only.tip.run, text };
  const { tip, head } = await site.look(only.tip.run, { pull, by });
  if (tip === undefined) return { refused: `the record of run \`${only.tip.run}\` is gone` };
  return belonging(site, { tip, head, pull, text });
}

export interface KnownRun {
  readonly tip: Tip;
  readonly standing: Standing;
  /** Where the pull request stands now, as far as it was told along. */
  readonly head: string | undefined;
}

/** A pull request, and who asks about it. */
interface Asked {
  readonly pull: number;
  readonly by?: string | undefined;
}

/** The runs of a pull request: of all there are, where the host tells of them at once, else of those our comments name. */
export async function runsOf(site: Site, { pull, by }: Asked): Promise<readonly KnownRun[]> {
  const all = await site.survey({ pull, by });
  if (all !== undefined) return all.tips.flatMap((tip) => known(tip, all.head)).filter(isOf(site, pull));
  const told = await runsToldOf(site, pull);
  const ids = told.length > 0 ? told : (await site.runs.list()).slice(-mostRuns);
  return await readRuns(site, ids, { pull, by });
}

/** The items of a run that has no record of its own, each with one. */
async function itemsOf(site: Site, run: string, asked: Asked): Promise<readonly KnownRun[]> {
  const ids = (await site.runs.list()).filter((id) => itemOf(id)?.of === run);
  return (await readRuns(site, ids, asked)).toSorted((a, b) => numberOf(a) - numberOf(b));
}

const numberOf = ({ tip }: KnownRun) => itemOf(tip.run)?.number ?? 0;
const nameOf = ({ tip }: KnownRun) => `\`${tip.run}\``;

async function readRuns(
  site: Site,
  ids: readonly string[],
  { pull, by }: Asked,
): Promise<readonly KnownRun[]> {
  const runs = await Promise.all(
    ids.slice(-mostRuns).map(async (id, at, { length }) => {
      // What is the same for all of them is asked for once, with the newest.
      const beside = at === length - 1 ? { pull, by } : {};
      const found = await site.look(id, beside).catch(() => undefined);
      return found?.tip === undefined ? [] : known(found.tip, found.head);
    }),
  );
  return runs.flat().filter(isOf(site, pull));
}

function known(tip: Tip, head: string | undefined): readonly KnownRun[] {
  const standing = readStanding(tip.state["standing"]);
  return standing === undefined ? [] : [{ tip, standing, head }];
}

const isOf =
  (site: Site, pull: number) =>
  ({ standing }: KnownRun) =>
    isHere(site, standing, pull);

/** How many runs are looked at to find one. */
const mostRuns = 50;

const comments = z.array(
  z.object({ body: z.string().nullish(), user: z.object({ login: z.string() }).nullish() }),
);

/** The ids that our comments on a pull request name; each is looked up, so a lie in them shows. */
async function runsToldOf(site: Site, pull: number): Promise<readonly string[]> {
  const { api, owner, repo } = site;
  const ids: string[] = [];
  for (let page = 1; page <= 5; page++) {
    const route = "GET /repos/{owner}/{repo}/issues/{pull}/comments";
    const { data } = await api.request(route, { owner, repo, pull, per_page: 100, page });
    const found = comments.parse(data);
    for (const { body, user } of found) {
      const id = /^<!-- until-green:run=([a-z0-9-]{6,64}) -->/.exec(body ?? "")?.[1];
      if (id !== undefined && isRunId(id) && (await isOurs(site, user?.login))) ids.push(id);
    }
    if (found.length < 100) break;
  }
  return [...new Set(ids)];
}

function belonging(site: Site, about: Omit<Found, "run" | "standing"> & { readonly pull: number }) {
  const { tip, pull } = about;
  const standing = readStanding(tip.state["standing"]);
  if (standing === undefined)
    return { refused: `the record of run \`${tip.run}\` does not say where it stands` };
  if (isHere(site, standing, pull)) return { ...about, run: tip.run, standing };
  const { pull: other } = standing.origin ?? {};
  return {
    refused: `run \`${tip.run}\` belongs to ${other === undefined ? "another repository" : `pull request ${other}`}`,
  };
}

const isHere = (site: Site, standing: Standing, pull: number) =>
  belongsHere(site, standing) && (standing.origin?.pull ?? pull) === pull;

/** Whether a run is one of this repository: a record may have been copied here. */
export const belongsHere = ({ owner, repo }: Site, { origin }: Standing) =>
  origin === undefined || origin.repository.toLowerCase() === `${owner}/${repo}`.toLowerCase();

/** A word with the form of a made-up id, or close to one there is, is no feedback. */
const isMeantAsId = (word: string, runs: readonly KnownRun[]) =>
  /-[0-9a-f]{8}$/.test(word) ||
  nearest(
    word,
    runs.map(({ tip }) => tip.run),
  ) !== undefined;

function isAnswerable({ summary, gates }: Standing, kind: RunWords["kind"]): boolean {
  if (kind === "status") return true;
  if (summary.state === "ended") return false;
  return (kind !== "approve" && kind !== "reject") || gates.length > 0;
}

function noneFor(kind: RunWords["kind"], runs: readonly KnownRun[], pull: number): string {
  const what =
    kind === "approve" || kind === "reject" ? "no run of this pull request waits" : "there is no such run";
  return `${what}; ${listOf(runs, pull)}`;
}

const listOf = (runs: readonly KnownRun[], pull: number) =>
  runs.length === 0
    ? `pull request ${pull} has no run`
    : `its runs: ${runs.map(({ tip, standing }) => `\`${tip.run}\` (${standing.summary.state})`).join(", ")}`;
