import { expect, test } from "vitest";
import type { RunSession } from "../../src/engine/session.ts";
import { systemClock } from "../../src/local/clock.ts";
import type { Budget } from "../../src/plan/plan.ts";
import { noUsage, type Usage } from "../../src/ports/agent.ts";
import type { Json } from "../../src/ports/json.ts";
import type { ClaimRecord, LogStore } from "../../src/ports/store.ts";
import { openSpendingMeter } from "../../src/runner/spending.ts";

const took = (input_tokens: number, more: Partial<Usage> = {}): Usage => ({
  ...noUsage,
  input_tokens,
  ...more,
});
const asking = (input_tokens: number, cost_usd = 0) => ({ input_tokens, cost_usd });
const { signal } = new AbortController();

function meter(budget: Budget, usage: Usage = noUsage, { facts = {}, limits = {}, store = {} } = {}) {
  const plan = { budget };
  const session = { plan, facts, totals: { usage, limits, activeMs: 0 } } as unknown as RunSession;
  const { forCall, note } = openSpendingMeter({ clock: systemClock, store: store as LogStore });
  return { forCall: (path: string) => forCall(path, () => session), note };
}

test("sequential requests are allowed until the budget is used up, and then refused with a reason", async () => {
  const spending = meter({ tokens: 150 }).forCall("/fix#1");
  const taken: (string | undefined)[] = [];
  for (let request = 0; request < 4; request += 1) {
    const { refused, settle } = await spending.admit(asking(30), signal);
    taken.push(refused);
    settle(took(120));
  }
  const message = "the budget of 150 tokens is used up (240 spent)";
  expect(taken).toEqual([undefined, undefined, message, message]);
});

test("twelve parallel calls send at most one request that the budget does not cover", async () => {
  const all = meter({ tokens: 150 });
  const sent: string[] = [];
  const calls = Array.from({ length: 12 }, async (_, item) => {
    for (let request = 0; request < 3; request += 1) {
      const { refused, settle } = await all.forCall(`/each#${item}`).admit(asking(40), signal);
      if (refused !== undefined) return;
      sent.push(`/each#${item}`);
      await Promise.resolve();
      settle(took(120));
    }
  });
  await Promise.all(calls);
  expect(sent).toHaveLength(2);
});

test("requests that fit together run in parallel", async () => {
  const all = meter({ tokens: 100_000 });
  const admitted = await Promise.all(
    ["/a", "/b", "/c"].map((path) => all.forCall(path).admit(asking(300), signal)),
  );
  expect(admitted.map(({ refused }) => refused)).toEqual([undefined, undefined, undefined]);
});

test.each([
  ["of which nothing is known, at eight times its input", [], 0.03, 2],
  ["after a dear one, at twice that", [0.2], 0.01, 1],
  ["after two, at twice the dearer one", [0.2, 0.1], 0.01, 0],
  ["that is dearer than those before, at its own estimate", [0.01], 0.4, 1],
])("with money left, a request %s, is sent while it fits", async (...[, before, usd, sent]) => {
  const all = meter({ usd: 1 });
  for (const cost_usd of before) {
    const { settle } = await all.forCall("/a").admit(asking(1, 0.01), signal);
    settle(took(1, { cost_usd }));
  }
  const first = await all.forCall("/a").admit(asking(1, usd), signal);
  const stop = new AbortController();
  let parallel = 0;
  const waits = ["/b", "/c"].map((path) =>
    all
      .forCall(path)
      .admit(asking(1, usd), stop.signal)
      .then(
        () => (parallel += 1),
        () => undefined,
      ),
  );
  await new Promise((done) => setImmediate(done));
  stop.abort();
  await Promise.all(waits);
  expect([first.refused, parallel]).toEqual([undefined, sent]);
});

test.each([
  ["before any answer, eight times its input and 8192 more", [], 1_000, 2 * 16_192],
  ["after an answer, twice its tokens", [500], 10, 500 + 2 * 1_000],
  ["if it is larger than that, its own input", [500], 3_000, 500 + 2 * 3_000],
])("tokens that a request is expected to take: %s", async (...[, before, input, both]) => {
  for (const [tokens, parallel] of [
    [both, 1],
    [both - 1, 0],
  ] as const) {
    const all = meter({ tokens });
    for (const used of before) (await all.forCall("/a").admit(asking(1), signal)).settle(took(used));
    await all.forCall("/a").admit(asking(input), signal);
    const stop = new AbortController();
    const admitted = all.forCall("/b").admit(asking(input), stop.signal);
    await new Promise((done) => setImmediate(done));
    stop.abort();
    const count = await admitted.then(
      () => 1,
      () => 0,
    );
    expect(count, `${tokens}`).toBe(parallel);
  }
});

test("a request whose usage is not known costs nothing, and lets the next one go", async () => {
  const spending = meter({ tokens: 150 }).forCall("/a");
  for (let request = 0; request < 3; request += 1) {
    const { refused, settle } = await spending.admit(asking(1_000), signal);
    expect(refused).toBeUndefined();
    settle(undefined);
  }
});

test("what is recorded of an attempt replaces what was counted meanwhile", async () => {
  const all = meter({ usd: 1 });
  const { settle } = await all.forCall("/a").admit(asking(1), signal);
  settle(took(10, { cost_usd: 2 }));
  const at = "2026-11-22T00:00:00.000Z";
  const usage = took(10, { cost_usd: 0.4 });
  all.note({ type: "need.failed", at, path: "/a", because: "cut off", final: false, usage });
  const next = await all.forCall("/a").admit(asking(1), signal);
  expect(next.refused).toBeUndefined();
  next.settle(took(10, { cost_usd: 0.6 }));
  const last = await all.forCall("/a").admit(asking(1), signal);
  expect(last.refused).toBe("the budget of 1 USD is used up (1.00 USD spent)");
});

test("what was spent before this process counts, and ten tokens read from a cache count as one", async () => {
  const spent = took(1000, { cache_read: 1000 });
  expect(
    (await meter({ tokens: 101 }, spent).forCall("/a").admit(asking(1), signal)).refused,
  ).toBeUndefined();
  expect((await meter({ tokens: 100 }, spent).forCall("/a").admit(asking(1), signal)).refused).toBe(
    "the budget of 100 tokens is used up (100 spent)",
  );
});

test("an answer replaces what was counted of it, and no other effect costs anything", async () => {
  const all = meter({ usd: 1 });
  const at = "2026-11-22T00:00:00.000Z";
  const usage = took(10, { cost_usd: 0.4 });
  (await all.forCall("/a").admit(asking(1), signal)).settle(took(10, { cost_usd: 2 }));
  const answer = { text: "", usage };
  all.note({ type: "need.met", at, path: "/a", port: "agent", answer } as unknown as Parameters<
    typeof all.note
  >[0]);
  all.note({ type: "need.met", at, path: "/b", port: "script", answer } as unknown as Parameters<
    typeof all.note
  >[0]);
  all.note({ type: "need.begun", at, path: "/a" });
  const next = await all.forCall("/a").admit(asking(1), signal);
  expect(next.refused).toBeUndefined();
  next.settle(took(10, { cost_usd: 0.6 }));
  expect((await all.forCall("/a").admit(asking(1), signal)).refused).toMatch(/1\.00 USD spent/);
});

test("who waits for its turn and is stopped waits no longer", async () => {
  const all = meter({ tokens: 10 });
  await all.forCall("/a").admit(asking(10), signal);
  const stop = new AbortController();
  const waits = all.forCall("/b").admit(asking(10), stop.signal);
  stop.abort(new Error("no longer wanted"));
  await expect(waits).rejects.toThrow("no longer wanted");
});

test("a call that uses up its part of a shared budget claims more, once for all its requests", async () => {
  const written: Json[] = [];
  const claims: ClaimRecord = {
    read: async () => ({ version: undefined, space: "", claims: written.at(-1), jobs: new Map() }),
    write: async (_, __, next) => written.push(next) > 0,
  };
  const facts = { run: "wide-1-item-2", shared_budget: { jobs: 2, tokens: 400 } };
  const { forCall } = meter({}, noUsage, { facts, limits: { tokens: 100 }, store: { claims } });
  const spending = forCall("/fix#1");
  const refusals: (string | undefined)[] = [];
  const ask = async () => {
    const { refused, settle } = await spending.admit(asking(1), signal);
    refusals.push(refused);
    settle(took(75));
  };
  for (let round = 0; round < 3; round += 1) await Promise.all([ask(), ask()]);
  expect(written.length).toBeGreaterThan(0);
  expect(written.length).toBeLessThanOrEqual(2);
  expect(refusals.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => undefined));
  expect(refusals.at(-1)).toMatch(/is used up \(300 spent\)/);
});
