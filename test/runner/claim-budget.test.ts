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
    write: async () => true,
  };
  const facts = {
    run,
    limits: { usd: 9 },
    ...(budget && { shared_budget: budget }),
  } as unknown as RunSettings;
  const ask = { spent: { usd: 1, tokens: 0 }, need: { usd: 0, tokens: 0 } };
  const store = (hasClaims ? { claims } : {}) as LogStore;
  const world = { store, clock, notice: (text: string) => void notices.push(text) };
  return { ...(await claimBudget({ facts, ask, patienceMs, signal }, world)), notices, slept };
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
