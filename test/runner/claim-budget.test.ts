import { expect, test } from "vitest";
import type { RunSettings } from "../../src/engine/log-events.ts";
import type { RunSession } from "../../src/engine/session.ts";
import { noUsage } from "../../src/ports/agent.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { ClaimRecord, LogStore } from "../../src/ports/store.ts";
import { claimBudget, openClaims } from "../../src/runner/claim-budget.ts";

const start = Date.parse("2026-01-01T00:00:00.000Z");
const ago = (ms: number) => new Date(start - ms).toISOString();
/** Six claims in the last minute: the next one is due in ten seconds. */
const crowded = { v: 1, jobs: {}, recent: [50, 40, 30, 20, 10, 1].map((seconds) => ago(seconds * 1000)) };
const shared = { jobs: 2, usd: 4 };

/** One claim of a job that has spent its part, where `recorded` was claimed before; on a clock of its own. */
async function claimed({
  run = "wide-77-1-item-1",
  recorded,
  budget = shared,
  patienceMs = 60_000,
  hasClaims = true,
  signal = new AbortController().signal,
}: {
  readonly run?: string;
  readonly recorded?: unknown;
  readonly budget?: typeof shared;
  readonly patienceMs?: number;
  readonly hasClaims?: boolean;
  readonly signal?: AbortSignal;
}) {
  const notices: string[] = [];
  const slept: number[] = [];
  const written: unknown[] = [];
  let now = start;
  const clock: Clock = {
    now: () => new Date(now).toISOString(),
    async sleep(ms: number) {
      slept.push(ms);
      now += ms;
    },
    every: () => () => undefined,
  };
  const claims: ClaimRecord = {
    read: async () => ({ version: undefined, space: "", claims: recorded as never, jobs: new Map() }),
    write: async (...[, , next]) => written.push(next) > 0,
  };
  const facts = {
    run,
    limits: { usd: 9 },
    ...(budget && { shared_budget: budget }),
  } as unknown as RunSettings;
  const ask = { spent: { usd: 1, tokens: 0 }, need: { usd: 0, tokens: 0 } };
  const store = (hasClaims ? { claims } : {}) as LogStore;
  const world = { store, clock, notice: (text: string) => void notices.push(text) };
  return { ...(await claimBudget({ facts, ask, patienceMs, signal }, world)), notices, slept, written };
}

test("a job claims more than its part, which is half of what it would get", async () => {
  const { usd, notices } = await claimed({});
  expect(usd).toBeGreaterThan(1);
  expect(notices).toEqual([]);
});

test("a run without a shared budget keeps its limits", async () => {
  const facts = { run: "run-001", limits: { usd: 9 } } as unknown as RunSettings;
  const ask = { spent: { usd: 1, tokens: 0 }, need: { usd: 0, tokens: 0 } };
  const { signal } = new AbortController();
  expect(await claimBudget({ facts, ask, patienceMs: 1, signal }, {} as never)).toEqual({ usd: 9 });
});

test.each([
  { usd: 1, tokens: 50 },
  { usd: 900, tokens: 1_000_000 },
])("what is claimed during a call raises a limit of $usd dollars, and never lowers it", async (limits) => {
  const claims: ClaimRecord = {
    read: async () => ({ version: undefined, space: "", claims: undefined as never, jobs: new Map() }),
    write: async () => true,
  };
  const facts = { run: "wide-77-1-item-1", limits, shared_budget: { jobs: 2, usd: 40, tokens: 4_000 } };
  const session = { facts, plan: { budget: {} }, totals: { limits } } as unknown as RunSession;
  const clock = { now: () => ago(0) } as unknown as Clock;
  const running = openClaims({ store: { claims } as LogStore, clock });
  expect(running.budget(session)).toMatchObject(limits);
  await running.raise(session, { ...noUsage, cost_usd: 1, input_tokens: 50 }, new AbortController().signal);
  const { usd = 0, tokens = 0 } = running.budget(session);
  if (limits.usd > 40) expect({ usd, tokens }).toEqual(limits);
  else {
    expect(usd).toBeGreaterThan(1);
    expect(tokens).toBeGreaterThan(50);
  }
});

test("a job waits for its turn, and claims then", async () => {
  const { usd, slept } = await claimed({ recorded: crowded });
  expect(slept).toEqual([10_000]);
  expect(usd).toBeGreaterThan(1);
});

const kept = "this job keeps the part of the shared budget that it started with: ";

test.each([
  [
    "its turn comes too late",
    { recorded: crowded, patienceMs: 9_999 },
    "too many other jobs claim more at this time",
  ],
  [
    "it cannot read the claims",
    { recorded: { v: 2 } },
    "another version of until-green wrote the claims of this run",
  ],
  [
    "its store has no claims",
    { hasClaims: false },
    /only if all jobs store their runs at the same git host$/,
  ],
  [
    "it is no job of a fan-out",
    { run: "run-001" },
    /only if all jobs store their runs at the same git host$/,
  ],
])("a job keeps its part if %s, and says why", async (_, given, why) => {
  const { usd, notices, slept } = await claimed(given);
  expect([usd, slept]).toEqual([1, []]);
  expect(notices).toEqual([typeof why === "string" ? kept + why : expect.stringMatching(why)]);
});

test("a claim that others overtake is made again, on what they have claimed", async () => {
  const written: unknown[] = [];
  const asked: string[] = [];
  const claims: ClaimRecord = {
    async read(of) {
      asked.push(of);
      const version = `v${asked.length}`;
      return { version, space: "", claims: undefined, jobs: new Map() };
    },
    write: async (of, { version }, next) => written.push([of, version, next]) > 1,
  };
  const facts = { run: "wide-77-1-item-1", limits: {}, shared_budget: shared } as unknown as RunSettings;
  const ask = { spent: { usd: 1, tokens: 0 }, need: { usd: 0, tokens: 0 } };
  const { signal } = new AbortController();
  const clock = { now: () => ago(0) } as Clock;
  const allowed = await claimBudget(
    { facts, ask, patienceMs: 1, signal },
    { store: { claims } as LogStore, clock },
  );
  expect(asked).toEqual(["wide-77-1", "wide-77-1"]);
  expect(written).toMatchObject([
    ["wide-77-1", "v1", { jobs: { 1: { at: ago(0) } } }],
    ["wide-77-1", "v2", { jobs: { 1: { at: ago(0) } } }],
  ]);
  expect(allowed.usd).toBeGreaterThan(1);
});

test("if nothing is left to claim, a job keeps what it has, and writes nothing", async () => {
  const recorded = { v: 1, jobs: { 2: { usd: 2, tokens: 0, at: ago(0) } }, recent: [] };
  const { usd, notices, slept, written } = await claimed({ recorded });
  expect({ usd, notices, slept, written }).toEqual({ usd: 1, notices: [], slept: [], written: [] });
});

test("a wait that ends exactly with the patience is waited for", async () => {
  const { slept } = await claimed({ recorded: crowded, patienceMs: 10_000 });
  expect(slept).toEqual([10_000]);
});

test("an agent's request waits a minute and a half for its turn at most, and a stop ends the claim", async () => {
  const limits = { usd: 1 };
  const facts = { run: "wide-77-1-item-1", limits, shared_budget: shared };
  const session = { facts, plan: { budget: {} }, totals: { limits } } as unknown as RunSession;
  const waits: number[] = [];
  let recent = crowded.recent;
  let now = start;
  const claims = {
    read: async () => ({ claims: { v: 1, jobs: {}, recent }, jobs: new Map() }),
    write: async () => true,
  } as unknown as ClaimRecord;
  const clock = {
    now: () => new Date(now).toISOString(),
    async sleep(ms: number) {
      waits.push(ms);
      now += ms;
      // Others claim as fast as they may.
      recent = [...recent.slice(1), new Date(now).toISOString()];
    },
  } as unknown as Clock;
  const running = openClaims({ store: { claims } as LogStore, clock });
  const spent = { ...noUsage, cost_usd: 1 };
  await running.raise(session, spent, new AbortController().signal);
  const waited = waits.reduce((all, ms) => all + ms, 0);
  expect(waited).toBeGreaterThan(30_000);
  expect(waited).toBeLessThanOrEqual(90_000);
  expect(running.budget(session)).toEqual(limits);
  await running.raise(session, spent, AbortSignal.abort(new Error("stopped")));
  expect(running.budget(session)).toEqual(limits);
  // The next request claims anew.
  recent = [];
  await running.raise(session, spent, new AbortController().signal);
  expect(running.budget(session).usd).toBeGreaterThan(1);
});

test("a run without a shared budget claims nothing during a call", async () => {
  const session = { facts: {}, plan: { budget: { tokens: 5, minutes: 3 } }, totals: { limits: {} } };
  const running = openClaims({ store: {}, clock: {} } as never);
  await running.raise(session as never, noUsage, AbortSignal.abort());
  expect(running.budget(session as never)).toEqual({ tokens: 5, minutes: 3 });
});

test("a job that is stopped claims nothing, and says nothing", async () => {
  const reason = new Error("stopped");
  await expect(claimed({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test("a program that shows no notices keeps its part too", async () => {
  const facts = { run: "wide-77-1-item-1", limits: {}, shared_budget: shared } as unknown as RunSettings;
  const ask = { spent: { usd: 1, tokens: 0 }, need: { usd: 0, tokens: 0 } };
  const { signal } = new AbortController();
  const claim = { facts, ask, patienceMs: 1, signal };
  expect(await claimBudget(claim, { store: {}, clock: {} } as never)).toMatchObject({ usd: 1 });
});
