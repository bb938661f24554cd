import {
  decideStart,
  type Holder,
  type SeriesLimits,
  type Start,
  type StartView,
} from "../../src/series/decide-start.ts";
import { whyWorse } from "../../src/series/grade.ts";
import type { Readiness } from "../../src/series/readiness.ts";
import {
  emptyRecord,
  type GoalRecord,
  type PastAttempt,
  withAttempt,
  withLost,
  withNote,
} from "../../src/series/record.ts";
import { type Branch, daytime, openRepository, type Repository } from "./series-people.ts";

export const callUsd = 0.4;
const dayMs = 86_400_000;

/** Numbers between 0 and 1, alike for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** A run in progress, or what is left of one. */
interface Run {
  readonly run: string;
  readonly from: Extract<Start, { readonly from: string }>;
  readonly base: number;
  readonly file: string;
  readonly by: string;
  /** Published work that it began with. */
  readonly began: Branch | undefined;
  failing: number;
  usd: number;
  /** Where it waits. */
  holder: Extract<Holder, { state: "paused" }> | undefined;
  isLost: boolean;
}

/** What the oracles look at: all of it is counted apart from the record that decides. */
export interface Tally {
  nights: number;
  attempts: number;
  calls: number;
  /** Why no attempt began, and how often. */
  readonly rests: Record<string, number>;
  paused: number;
  lost: number;
  resumed: number;
  /** Sentences about what must never be. */
  readonly wrong: string[];
}

export interface Series {
  readonly seed: number;
  readonly nights: number;
  readonly limits: SeriesLimits;
  /** A repository in which only the agent does something, and each call fixes a test. */
  readonly alone?: Repository;
}

interface World {
  readonly series: Series;
  readonly repository: Repository;
  readonly random: () => number;
  readonly tally: Tally;
  /** In US dollars, by day, by pull request, and by day and person. */
  readonly spent: { readonly [by in "day" | "pull" | "person"]: Map<string, number> };
  record: GoalRecord;
  run: Run | undefined;
  now: number;
  failures: { count: number; file: string; base: string };
  endedAt: number;
}

/** Plays one series, and answers its record and its repository at the end. */
export function playSeries(series: Series, tally: Tally) {
  const random = randomOf(series.seed);
  const world: World = {
    series,
    repository: series.alone ?? openRepository(1 + Math.floor(random() * 4)),
    random,
    tally,
    spent: { day: new Map(), pull: new Map(), person: new Map() },
    record: emptyRecord("until-green/fix"),
    run: undefined,
    now: 0,
    failures: { count: 0, file: "", base: "" },
    endedAt: Number.NEGATIVE_INFINITY,
  };
  for (let night = 0; night < series.nights; night++) {
    world.now = Date.UTC(2026, 0, 1 + night, 3);
    tally.nights += 1;
    const asks = series.alone === undefined && random() < 0.04;
    job(world, { by: asks ? "ada" : "octocat", isAsked: asks });
    if (series.alone !== undefined) continue;
    // An event that comes twice, or late.
    for (let more = 0; random() < 0.25 && more < 2; more++) {
      world.now += random() * 6 * 3_600_000;
      job(world, { by: "octocat", isAsked: false });
    }
    daytime(world.repository, random);
    if (world.run?.holder?.askingSince !== undefined && random() < 0.3)
      world.run.holder = { ...world.run.holder, askingSince: undefined };
  }
  return { record: world.record, repository: world.repository };
}

interface Trigger {
  readonly by: string;
  readonly isAsked: boolean;
}

const isoOf = (now: number) => new Date(now).toISOString();

function viewOf(world: World, { by, isAsked }: Trigger): StartView {
  const { repository, record, series, run, now } = world;
  const { branch, pull, closed, others, base, file } = repository;
  const work = branch === undefined ? undefined : { ...branch, green: branch.failing === 0 };
  return {
    record,
    limits: series.limits,
    branch: {
      work,
      pull,
      closed,
      open: others + (pull === undefined ? 0 : 1),
      readiness: readinessIn(repository),
    },
    now: isoOf(now),
    base: `${base}`,
    file,
    by,
    isAsked,
    holder: run?.isLost === true ? undefined : run?.holder,
  };
}

function readinessIn({ pull, asks }: Repository): Readiness | undefined {
  if (pull === undefined) return undefined;
  if (asks.length === 0) return { is: "ready" };
  return { is: "open", keys: asks, feedback: asks.join(), threads: [], reviewers: [] };
}

/** One job: it decides until something begins or rests. */
function job(world: World, trigger: Trigger): void {
  settleLost(world);
  const { tally } = world;
  const view = viewOf(world, trigger);
  const start = decideStart(view);
  if ("givesUp" in start) {
    if (world.run === undefined) return void tally.wrong.push("gave up a run that is not there");
    end(world, world.run, "unanswered");
    job(world, trigger);
    return;
  }
  if ("resumes" in start) {
    if (world.run?.run !== start.resumes) return void tally.wrong.push("resumed another run");
    tally.resumed += 1;
    world.run.holder = undefined;
    work(world, world.run);
    return;
  }
  if ("rests" in start) {
    tally.rests[start.rests] = (tally.rests[start.rests] ?? 0) + 1;
    if (!/\w+ .*\w/.test(start.because)) tally.wrong.push("rests without saying why");
    return;
  }
  tally.attempts += 1;
  for (const wrong of whyNot(world, view)) tally.wrong.push(`seed ${world.series.seed}: ${wrong}`);
  begin(world, start, trigger);
}

/** Why this run should not have begun, by what really happened. */
function whyNot(world: World, view: StartView): string[] {
  const { spent, run, repository, now } = world;
  const { limits, isAsked } = view;
  const { pull } = repository;
  const today = spent.day.get(isoOf(now).slice(0, 10)) ?? 0;
  const onPull = spent.pull.get(`${pull?.number}`) ?? 0;
  const wrong = [
    [today >= (limits.dayUsd ?? none), "the day's money was spent"],
    [onPull >= (limits.pullUsd ?? none), "the money of the pull request was spent"],
    [run !== undefined, "another run is open"],
    ...(isAsked ? [] : unasked(world, view)),
  ] as const;
  return wrong.flatMap(([isSo, because]) => (isSo ? [because] : []));
}

const none = Number.POSITIVE_INFINITY;

/** What a run that nobody asked for respects. */
function unasked({ repository, failures, now, endedAt }: World, { limits, file, base, branch }: StartView) {
  const { pull, closed, asks, answered } = repository;
  const isDone = repository.branch?.failing === 0 && pull?.mergeable === true;
  const isNew = asks.some((key) => !answered.has(key));
  const sameFile = failures.file === file;
  const { stopAfter = none, cooldownMs = 0, maxOpen = none } = limits;
  return [
    [isDone && !isNew, "its pull request was green, and nothing new was said"],
    [now - endedAt < cooldownMs, "the cooldown was not over"],
    [sameFile && failures.count >= stopAfter, "it had failed too often"],
    [closed !== undefined && sameFile && failures.base === base, "its pull request was closed"],
    [pull === undefined && branch.open >= maxOpen, "too many pull requests were open"],
  ] as const;
}

function begin(world: World, from: Run["from"], { by }: Trigger): void {
  const { repository, series } = world;
  const { branch, base, file, asks } = repository;
  const began = from.from === "branch" ? branch : undefined;
  if (from.from === "branch" && branch === undefined) world.tally.wrong.push("continued nothing");
  const keys = from.open === undefined ? {} : { keys: [...asks] };
  const run = `run-${series.seed}-${world.tally.attempts}`;
  world.record = { ...world.record, claim: { run, at: isoOf(world.now), file, ...keys } };
  const failing = began?.failing ?? repository.failing;
  world.run = { run, from, base, file, by, began, failing, usd: 0, holder: undefined, isLost: false };
  work(world, world.run);
}

/** The calls of a run; the check comes first, and what is green already costs nothing unless somebody wants more. */
function work(world: World, run: Run): void {
  const { tally, series, repository } = world;
  const left = run.from.usd ?? none;
  let isNeeded = run.failing > 0 || run.from.open !== undefined || repository.pull?.mergeable === false;
  for (let call = 0; isNeeded && call < 3 && run.usd < left; call++) {
    if (isInterrupted(world, run)) return;
    isNeeded = run.failing > 0;
  }
  if (run.usd >= left + callUsd) tally.wrong.push(`seed ${series.seed}: over its cap by more than a call`);
  end(world, run, run.failing === 0 ? "until-bash" : "max-iterations");
}

/** One call: it may fix a test or break one; or meet an outage, ask a person, or lose its machine. */
function isInterrupted({ tally, series, now, ...world }: World, run: Run): boolean {
  const random = series.alone === undefined ? world.random : () => 0.2;
  const what = random();
  const paused = { run: run.run, state: "paused" } as const;
  if (what < 0.05)
    run.holder = { ...paused, askingSince: undefined, wakeAt: isoOf(now + random() * 3 * dayMs) };
  else if (what < 0.08) run.holder = { ...paused, askingSince: isoOf(now), wakeAt: undefined };
  if (what < 0.08) {
    tally.paused += 1;
    return true;
  }
  tally.calls += 1;
  run.usd += callUsd;
  run.isLost = what < 0.1;
  if (run.isLost) tally.lost += 1;
  else if (random() < 0.4) run.failing = Math.max(0, run.failing - 1);
  else if (random() < 0.1) run.failing += 1;
  return run.isLost;
}

function attemptOf(world: World, run: Run, more: Pick<PastAttempt, "green" | "published" | "reason">) {
  const at = isoOf(world.now);
  const { by, base, file, usd, failing } = run;
  return { run: run.run, at, by, base: `${base}`, file, failing, ...more, iterations: 1, tokens: 10, usd };
}

/** A run whose machine was lost is put on record by the next job. */
function settleLost(world: World): void {
  const { run } = world;
  if (run?.isLost !== true) return;
  const attempt = attemptOf(world, run, { green: false, published: false, reason: "interrupted" });
  world.record = withLost(world.record, attempt, world.repository.pull?.number);
  account(world, run, false);
}

function end(world: World, run: Run, reason: string): void {
  const green = run.failing === 0 && reason !== "unanswered";
  const published = reason !== "unanswered" && publish(world, run, green);
  const attempt = attemptOf(world, run, { green, published, reason });
  const noted = withNote(world.record, { at: attempt.at, by: "agent", text: `note of ${run.run}` });
  for (const key of world.record.claim?.keys ?? []) world.repository.answered.add(key);
  world.record = withAttempt(noted, attempt, world.repository.pull?.number);
  account(world, run, green);
}

function account(world: World, { usd, file, base, by }: Run, green: boolean): void {
  const { spent, repository, now, failures, series, tally } = world;
  const day = isoOf(now).slice(0, 10);
  const { dayUsd, pullUsd, personUsd } = series.limits;
  const { pull } = repository;
  const books = [
    [spent.day, day, dayUsd],
    [spent.person, `${day} ${by}`, personUsd],
    ...(pull === undefined ? [] : [[spent.pull, `${pull.number}`, pullUsd] as const]),
  ] as const;
  for (const [book, key, cap = Number.POSITIVE_INFINITY] of books) {
    const sum = (book.get(key) ?? 0) + usd;
    book.set(key, sum);
    if (sum > cap + callUsd + 1e-9) tally.wrong.push(`seed ${series.seed}: ${sum} of ${cap} was spent`);
  }
  world.failures = { count: green ? 0 : failures.count + 1, file, base: `${base}` };
  world.endedAt = now;
  world.run = undefined;
}

/** Puts work on the branch unless better work is there; whether it did. */
function publish(world: World, run: Run, green: boolean): boolean {
  const { repository, random, tally } = world;
  const { branch, closed } = repository;
  const grade = { green, failing: run.failing, lines: Math.floor(random() * 50) };
  const there = branch === undefined || closed !== undefined ? undefined : branch;
  if (there !== undefined) {
    const published = { ...there, green: there.failing === 0 };
    const sameBase = there.base === run.base;
    if (whyWorse({ ...grade, continues: run.began !== undefined, sameBase }, published) !== undefined)
      return false;
    if (published.green && !green) tally.wrong.push(`seed ${world.series.seed}: green work was replaced`);
    if (run.began === undefined && there.theirs > 0 && closed === undefined && repository.pull !== undefined)
      tally.wrong.push(`seed ${world.series.seed}: commits of people were not continued`);
  }
  repository.branch = { ...grade, commit: run.run, base: run.base, theirs: run.began?.theirs ?? 0 };
  repository.pulls += repository.pull === undefined ? 1 : 0;
  repository.pull = { number: repository.pull?.number ?? repository.pulls, mergeable: true };
  repository.closed = undefined;
  return true;
}
