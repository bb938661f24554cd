import { expect, test } from "vitest";
import type { RunSettings } from "../../src/engine/log-events.ts";
import { systemClock } from "../../src/local/clock.ts";
import { claimBudget } from "../../src/runner/claim-budget.ts";
import { openMachines } from "../parts/git-machines.ts";
import type { GitServer } from "../parts/git-server.ts";

const { host, at } = openMachines();
const { signal } = new AbortController();
const of = "wide-77-1";

/** One job of a fan-out on a machine of its own, which has spent all it may. */
async function jobAt(server: GitServer, number: number, messages: string[] = []) {
  const run = `${of}-item-${number}`;
  const store = at(server);
  const shared_budget = { jobs: 3, usd: 6 };
  const facts = { run, shared_budget, limits: { usd: 1 } } as unknown as RunSettings;
  const claim = async (spent: number) =>
    await claimBudget(
      {
        facts,
        ask: { spent: { usd: spent, tokens: 0 }, need: { usd: 0, tokens: 0 } },
        patienceMs: 120_000,
        signal,
      },
      { store, clock: systemClock, notice: (text) => messages.push(text) },
    );
  const record = async (state: string, usd: number) => {
    const lines = await store.read(run);
    const usage = { input_tokens: 0, output_tokens: 0, cost_usd: usd };
    store.describe?.(run, { summary: { state, usage } });
    await store.append(run, lines.length, ["{}"]);
  };
  return { claim, record };
}

const claimsAt = (server: GitServer) =>
  JSON.parse(server.git("show", `refs/until-green/${of}/claims:claims`)).jobs;

test("jobs that claim at the same time share what is there, and what an ended job left", async () => {
  const server = await host();
  const [one, two, three] = [await jobAt(server, 1), await jobAt(server, 2), await jobAt(server, 3)];
  for (const job of [one, two, three]) await job.record("running", 0);
  const [first, second] = await Promise.all([one.claim(1), two.claim(1)]);
  const claimed = claimsAt(server);
  expect([first.usd, second.usd]).toEqual([1 + claimed[1].usd, 1 + claimed[2].usd]);
  // The third job keeps its part: 6 USD is for all of them.
  expect((first.usd ?? 0) + (second.usd ?? 0)).toBeLessThanOrEqual(5);
  const all = await one.claim(4.9 - (second.usd ?? 0));
  expect((all.usd ?? 0) + (second.usd ?? 0)).toBeLessThanOrEqual(5);
  const before = await one.claim(all.usd ?? 0);
  await three.record("ended", 0.25);
  const after = await one.claim(before.usd ?? 0);
  expect(after.usd).toBeGreaterThan(before.usd ?? 0);
  expect((after.usd ?? 0) + (second.usd ?? 0)).toBeLessThanOrEqual(5.75);
});

test("a claim whose answer was lost counts once", async () => {
  const server = await host();
  const job = await jobAt(server, 1);
  await job.record("running", 1);
  let left = 1;
  server.fault = ({ kind }) => (kind === "push" && left-- > 0 ? "drop" : undefined);
  const { usd = 0 } = await job.claim(1);
  expect(server.fired).toHaveLength(1);
  expect(usd).toBe(1 + claimsAt(server)[1].usd);
  expect(server.seen.filter(({ kind }) => kind === "push")).toHaveLength(2);
});

test("a job that may not push keeps the part it began with, and says so", async () => {
  const server = await host();
  await (await jobAt(server, 1)).record("running", 1);
  server.fault = ({ kind }) => (kind === "push" ? "forbid" : undefined);
  const messages: string[] = [];
  const job = await jobAt(server, 1, messages);
  expect(await job.claim(1)).toEqual({ usd: 1 });
  expect(messages).toEqual([
    expect.stringMatching(/keeps the part of the shared budget that it started with: .*takes no claims/),
  ]);
});

test("claims that another version wrote are left alone", async () => {
  const server = await host();
  const messages: string[] = [];
  const job = await jobAt(server, 1, messages);
  await job.record("running", 1);
  server.git("update-ref", `refs/until-green/${of}/claims`, `refs/until-green/${of}/items/1/state`);
  expect(await job.claim(1)).toEqual({ usd: 1 });
  expect(messages).toEqual([expect.stringContaining("another version of until-green wrote the claims")]);
});
