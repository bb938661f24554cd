import { expect, test } from "vitest";
import { decideStart, type SeriesLimits, type StartView } from "../../src/series/decide-start.ts";
import { type Grade, whyWorse } from "../../src/series/grade.ts";
import { readinessOf } from "../../src/series/readiness.ts";
import {
  emptyRecord,
  type GoalRecord,
  readRecord,
  withAttempt,
  withNote,
  withUsed,
} from "../../src/series/record.ts";

const seriesCount = 1_000;
const nights = 30;
const callUsd = 0.4;

/** Numbers between 0 and 1, alike for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

interface Repository {
  base: number;
  /** Tests that fail on the base. */
  failing: number;
  branch: (Grade & { commit: string; base: number }) | undefined;
  pull: { number: number; mergeable: boolean } | undefined;
  closed: number | undefined;
  pulls: number;
}

interface Tally {
  calls: number;
  greenReplaced: number;
  callsForNothing: number;
  overCaps: number;
  unexplained: number;
}

/** What people and time do to a repository between two nights. */
function daytime(repository: Repository, random: () => number): void {
  const { pull, branch } = repository;
  if (random() < 0.3) repository.base += 1;
  if (random() < 0.05) repository.failing += 1;
  if (pull === undefined || branch === undefined) return;
  const what = random();
  if (what < 0.15 && branch.green) {
    Object.assign(repository, { pull: undefined, closed: undefined, failing: 0, branch: undefined });
    repository.base += 1;
  } else if (what < 0.2) Object.assign(repository, { pull: undefined, closed: pull.number });
  else if (what < 0.3) pull.mergeable = false;
  else if (what < 0.35) repository.branch = { ...branch, commit: `${branch.commit}+theirs` };
}

interface Moment {
  readonly record: GoalRecord;
  readonly limits: SeriesLimits;
  readonly day: number;
}

const viewOf = (repository: Repository, { record, limits, day }: Moment): StartView => ({
  record,
  limits,
  branch: { work: repository.branch, pull: repository.pull, closed: repository.closed, open: 0 },
  now: new Date(Date.UTC(2026, 0, 1 + day, 3)).toISOString(),
  base: `${repository.base}`,
  file: "file",
  by: "octocat",
  isAsked: false,
  holder: undefined,
});

interface Chance {
  readonly random: () => number;
  readonly tally: Tally;
}

type Begun = Extract<ReturnType<typeof decideStart>, { readonly from: string }>;

/** An agent's calls, each of which may fix a test or break one. The last may overdraw what is left. */
function work(before: number, { usd: left = Number.POSITIVE_INFINITY }: Begun, { random, tally }: Chance) {
  let failing = Math.max(1, before);
  let usd = 0;
  for (let call = 0; call < 3 && failing > 0 && usd < left; call++) {
    tally.calls += 1;
    usd += callUsd;
    if (random() < 0.4) failing -= 1;
    else if (random() < 0.1) failing += 1;
  }
  if (usd >= left + callUsd) tally.overCaps += 1;
  return { failing, usd };
}

/** Puts work on the branch unless better work is there; whether it did. */
function publish(repository: Repository, grade: Grade, continues: boolean): boolean {
  const { branch } = repository;
  const sameBase = branch?.base === repository.base;
  if (branch !== undefined && whyWorse({ ...grade, continues, sameBase }, branch) !== undefined) return false;
  repository.pulls += repository.pull === undefined ? 1 : 0;
  repository.branch = { ...grade, commit: `on ${repository.base}`, base: repository.base };
  repository.pull = { number: repository.pull?.number ?? repository.pulls, mergeable: true };
  repository.closed = undefined;
  return true;
}

/** One night: decides, works where it may, and publishes what is no worse. */
function night(repository: Repository, view: StartView, chance: Chance): GoalRecord {
  const { tally, random } = chance;
  const start = decideStart(view);
  const { work: done, pull } = view.branch;
  if (!("from" in start)) {
    if (!("rests" in start) || start.because === "") tally.unexplained += 1;
    return view.record;
  }
  if (done?.green === true && pull !== undefined && pull.mergeable) tally.callsForNothing += 1;
  const isNext = start.from === "branch";
  const { failing, usd } = work(isNext ? (done?.failing ?? 0) : repository.failing, start, chance);
  const grade = { green: failing === 0, failing, lines: Math.floor(random() * 50) };
  const published = publish(repository, grade, isNext);
  if (published && done?.green === true && !grade.green) tally.greenReplaced += 1;
  const { now: at, base, file } = view;
  const how = { reason: grade.green ? "until-bash" : "max-iterations", iterations: 1, tokens: 10 };
  const ended = { run: `run-${at}`, at, by: "octocat", base, file, ...grade, published, ...how, usd };
  const noted = withNote(view.record, { at, by: "agent", text: `note of ${at}` });
  return withAttempt(noted, ended, repository.pull?.number);
}

test(`in ${seriesCount} series of ${nights} nights no green work is replaced, no call is made for nothing, caps hold`, () => {
  const tally: Tally = { calls: 0, greenReplaced: 0, callsForNothing: 0, overCaps: 0, unexplained: 0 };
  let largest = 0;
  for (let seed = 1; seed <= seriesCount; seed++) {
    const random = randomOf(seed);
    const limits: SeriesLimits = {
      dayUsd: 1,
      pullUsd: 6,
      personUsd: 2,
      stopAfter: 1 + Math.floor(random() * 6),
    };
    const repository: Repository = {
      base: 0,
      failing: 1 + Math.floor(random() * 4),
      branch: undefined,
      pull: undefined,
      closed: undefined,
      pulls: 0,
    };
    let record = emptyRecord("until-green/fix");
    for (let day = 0; day < nights; day++) {
      record = night(repository, viewOf(repository, { record, limits, day }), { random, tally });
      daytime(repository, random);
    }
    const text = JSON.stringify(record);
    expect(readRecord(text, "until-green/fix")).toEqual(record);
    largest = Math.max(largest, text.length);
    expect(record.spent.every(({ usd }) => usd <= 1 + callUsd)).toBe(true);
  }
  expect(tally).toMatchObject({ greenReplaced: 0, callsForNothing: 0, overCaps: 0, unexplained: 0 });
  expect(tally.calls).toBeGreaterThan(seriesCount);
  expect(largest).toBeLessThan(64 * 1024);
});

test("three bugs, fixed one a night, are green after three nights", () => {
  const repository: Repository = {
    base: 0,
    failing: 3,
    branch: undefined,
    pull: undefined,
    closed: undefined,
    pulls: 0,
  };
  const tally: Tally = { calls: 0, greenReplaced: 0, callsForNothing: 0, overCaps: 0, unexplained: 0 };
  let record = emptyRecord("g");
  // One call a night, which always fixes one test.
  const limits = { dayUsd: callUsd / 2 };
  const chance = { random: () => 0, tally };
  for (let day = 0; day < 3; day++) {
    record = night(repository, viewOf(repository, { record, limits, day }), chance);
  }
  expect(repository.branch).toMatchObject({ green: true, failing: 0 });
  expect(record.attempts.map(({ green }) => green)).toEqual([false, false, true]);
});

/** What checks and reviewers say of a head when an event comes. */
function heardAt(head: number, event: number, random: () => number) {
  const threads = random() < 0.3 ? [{ id: `T${event % 7}`, path: "a", line: 1, by: "ann", text: "x" }] : [];
  const checks = [{ name: "ci", state: random() < 0.5 ? ("failed" as const) : ("passed" as const) }];
  const requests =
    random() < 0.2 ? [{ id: `R${event % 5}`, by: "bea", isApp: event % 2 === 0, text: "y" }] : [];
  const seen = { head: `h${head}`, checks, needsApproval: false, threads, requests, isApproved: true };
  return readinessOf(seen, { untilChecks: true, untilReviews: true });
}

/** The record after an event that comes so often. */
function hear(record: GoalRecord, readiness: ReturnType<typeof readinessOf>, copies: number): GoalRecord {
  let now = record;
  for (let copy = 0; copy < copies; copy++) {
    const pull = { number: 1, mergeable: true };
    const branch = { work: { green: true, commit: "h" }, pull, closed: undefined, open: 0, readiness };
    const start = decideStart({
      ...viewOf({ base: 0 } as Repository, { record: now, limits: {}, day: 0 }),
      branch,
    });
    if (!("from" in start) || start.open === undefined) continue;
    expect(start.open.keys.some((key) => !now.used?.includes(key))).toBe(true);
    now = withUsed(now, start.open.keys);
  }
  return now;
}

test("in 200 rounds of lost, doubled and late events, what checks and reviewers say is worked on once each", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomOf(seed);
    let record = emptyRecord("g");
    let head = 1;
    for (let event = 0; event < 20; event++) {
      const readiness = heardAt(head, event, random);
      const before = record.used ?? [];
      record = hear(record, readiness, Math.floor(random() * 4));
      // Nothing is worked on again by an event that comes late.
      const after = hear(record, readiness, 1).used ?? [];
      const open = readiness.is === "open" ? readiness.keys : [];
      expect(new Set(after)).toEqual(new Set([...before, ...open]));
      record = hear(record, readiness, 1);
      if (random() < 0.5) head += 1;
    }
  }
});
