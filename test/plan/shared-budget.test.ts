import { expect, test } from "vitest";
import {
  type Allowance,
  type Claims,
  decideClaim,
  firstPart,
  type JobSpending,
  noClaims,
  parseClaims,
  type SharedBudget,
} from "../../src/plan/shared-budget.ts";

const hour = 60 * 60_000;
const start = Date.parse("2026-11-23T08:00:00Z");

const units = ["usd", "tokens"] as const;
const nothing = { usd: 0, tokens: 0 };

/** Pseudorandom numbers from 0 to 1 that a seed repeats. */
function dice(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e37_79b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

interface SimulatedJob {
  readonly number: number;
  allowed: Allowance;
  /** Really spent, and as its record says. */
  spent: { usd: number; tokens: number };
  recorded: { usd: number; tokens: number };
  state: "waits" | "works" | "killed" | "ended";
  callsLeft: number;
  /** What it read before it decides to write. */
  read: { readonly claims: Claims; readonly jobs: ReadonlyMap<number, JobSpending> } | undefined;
  largest: { usd: number; tokens: number };
}

interface FanOut {
  readonly budget: SharedBudget;
  readonly jobs: readonly SimulatedJob[];
  /** When claims were written. */
  readonly pushes: number[];
  readonly next: () => number;
  claims: Claims;
  now: number;
}

const pick = ({ next }: Pick<FanOut, "next">, from: number, to: number) =>
  from + Math.floor(next() * (to - from + 1));

/** One fan-out whose jobs start, call, race for claims, are killed and end in an order that only the seed decides. */
function simulate(seed: number): FanOut {
  const next = dice(seed);
  const budget: SharedBudget = {
    jobs: pick({ next }, 1, 12),
    ...(next() < 0.8 ? { usd: pick({ next }, 1, 40) } : {}),
    ...(next() < 0.4 ? { tokens: pick({ next }, 2_000, 90_000) } : {}),
  };
  const jobs = Array.from({ length: budget.jobs }, (_, at) => ({
    number: at + 1,
    allowed: firstPart(budget),
    spent: { usd: 0, tokens: 0 },
    recorded: { usd: 0, tokens: 0 },
    state: "waits" as const,
    callsLeft: pick({ next }, 1, 20),
    read: undefined,
    largest: { usd: 0, tokens: 0 },
  }));
  const world: FanOut = { budget, jobs, next, pushes: [], claims: noClaims, now: start };
  for (let step = 0; step < 600; step += 1) {
    world.now += next() < 0.01 ? 3 * hour : pick(world, 0, 4_000);
    act(world, jobs[pick(world, 0, jobs.length - 1)] as SimulatedJob);
  }
  return world;
}

const isSpent = ({ spent, allowed }: SimulatedJob) =>
  units.some((unit) => spent[unit] >= (allowed[unit] ?? Infinity));

function act(world: FanOut, job: SimulatedJob): void {
  const { next, budget } = world;
  if (job.state === "killed" && next() < 0.05) {
    // Its job is re-run, and begins with what it had first.
    job.spent = { ...job.recorded };
    job.allowed = firstPart(budget);
  } else if (job.state === "killed" || job.state === "ended") return;
  job.state = "works";
  if (next() < 0.02) Object.assign(job, { state: "killed", read: undefined });
  else if (job.read !== undefined) writeClaim(world, job, job.read);
  else if (isSpent(job)) job.read = { claims: world.claims, jobs: recordsOf(world) };
  else if (job.callsLeft === 0) job.state = "ended";
  else call(world, job);
}

const recordsOf = ({ jobs }: FanOut) =>
  new Map(
    jobs.flatMap(({ number, state, recorded }) =>
      state === "waits" ? [] : [[number, { ...recorded, ended: state === "ended" }] as const],
    ),
  );

/** Others may have written since it read. */
function writeClaim(world: FanOut, job: SimulatedJob, read: NonNullable<SimulatedJob["read"]>): void {
  const { budget, now } = world;
  job.read = undefined;
  const answer = decideClaim(budget, read, { job: job.number, spent: job.spent, need: nothing, now });
  if ("waitMs" in answer) {
    world.now += answer.waitMs;
  } else if (answer.claims === undefined) {
    job.allowed = answer.allowed;
    if (isSpent(job)) job.state = "ended";
  } else if (read.claims === world.claims) {
    world.claims = parseClaims(JSON.parse(JSON.stringify(answer.claims))) as Claims;
    world.pushes.push(now);
    // Sometimes the host's answer is lost: the job reads again.
    if (world.next() < 0.7) job.allowed = answer.allowed;
  }
}

function call(world: FanOut, job: SimulatedJob): void {
  job.callsLeft -= 1;
  const cost = { usd: world.next() * 2, tokens: pick(world, 1, 3_000) };
  for (const unit of units) {
    job.spent[unit] += cost[unit];
    job.largest[unit] = Math.max(job.largest[unit], cost[unit]);
  }
  // Killed before its record says so.
  if (world.next() < 0.01) job.state = "killed";
  else job.recorded = { ...job.spent };
}

test("2,000 fan-outs with races, kills and lost answers never exceed their caps by more than one call a job", () => {
  let granted = 0;
  for (let seed = 1; seed <= 2_000; seed += 1) {
    const { budget, jobs, pushes } = simulate(seed);
    granted += pushes.length;
    for (const unit of units) {
      const total = jobs.reduce((all, { spent }) => all + spent[unit], 0);
      const calls = jobs.reduce((all, { largest }) => all + largest[unit], 0);
      expect(total - calls, `seed ${seed}, ${unit}`).toBeLessThanOrEqual((budget[unit] ?? Infinity) + 1e-6);
    }
    for (const [at, time] of pushes.entries())
      expect(time - (pushes[at - 6] ?? 0), `seed ${seed}, push ${at}`).toBeGreaterThanOrEqual(60_000);
  }
  expect(granted).toBeGreaterThan(2_000);
});

const asked = { job: 1, spent: { usd: 2.5, tokens: 0 }, need: { usd: 1, tokens: 0 }, now: start };
const budget = { jobs: 4, usd: 20 };
const nothingEnded = new Map<number, JobSpending>();

test("a job has half of an equal part, and claims more in batches of several calls", () => {
  expect(firstPart(budget)).toEqual({ usd: 2.5 });
  const { allowed, claims } = decideClaim(budget, { claims: noClaims, jobs: nothingEnded }, asked) as {
    allowed: Allowance;
    claims: Claims;
  };
  expect(allowed.usd).toBeGreaterThanOrEqual(3.5);
  expect(allowed.usd).toBeLessThanOrEqual(20 - 3 * 2.5);
  expect(decideClaim(budget, { claims, jobs: nothingEnded }, asked)).toEqual({ allowed });
});

test("what an ended job has left is free, and a killed job's claim six hours later", () => {
  const taken = {
    v: 1,
    jobs: { 2: { usd: 10, tokens: 0, at: new Date(start).toISOString() } },
    recent: [],
  } as const;
  const at = (now: number, ended: boolean) => {
    const jobs = ended ? new Map([[2, { usd: 1, tokens: 0, ended }]]) : nothingEnded;
    return decideClaim(budget, { claims: { ...taken, recent: [] }, jobs }, { ...asked, now });
  };
  expect(at(start + hour, false)).toEqual({ allowed: { usd: 2.5 } });
  expect(at(start + hour, true)).toMatchObject({ allowed: { usd: expect.toSatisfy((usd) => usd > 3.5) } });
  expect(at(start + 7 * hour, false)).toMatchObject({ claims: { jobs: { 1: expect.anything() } } });
});

test("of two jobs that ask for the last amount one gets it; claims wait when there were six in a minute", () => {
  const last = { jobs: 2, usd: 2 };
  const of = (job: number, claims: Claims) =>
    decideClaim(last, { claims, jobs: nothingEnded }, { ...asked, job, spent: { usd: 0.5, tokens: 0 } });
  const first = of(1, noClaims) as { claims: Claims };
  expect(first.claims.jobs["1"]?.usd).toBe(1);
  expect(of(2, first.claims)).toEqual({ allowed: { usd: 0.5 } });
  const recent = Array.from({ length: 6 }, (_, at) => new Date(start - 50_000 + at).toISOString());
  expect(of(1, { ...noClaims, recent })).toEqual({ waitMs: 10_000 });
});

test("claims that another version wrote are not guessed at", () => {
  expect(parseClaims(undefined)).toEqual(noClaims);
  expect(parseClaims({ v: 2, jobs: {} })).toBeUndefined();
});
