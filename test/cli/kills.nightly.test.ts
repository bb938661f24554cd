import { expect, test } from "vitest";
import { builtCommandLine } from "../parts/built.ts";
import { killAtPoints } from "../parts/kill-points.ts";
import { killScenarios } from "../parts/kill-scenarios.ts";
import { killRuns } from "../parts/kills.ts";
import { randomOf, seed } from "../parts/random.ts";

const stores = ["dir", "git"] as const;

// More of them: `npm run kills`.
test.each(stores)(
  "processes killed at any moment over the store %s lose nothing and repeat nothing unsaid",
  async (store) => {
    const report = await killRuns(store, { kills: 10, random: randomOf(seed) });
    expect(report.faults).toEqual([]);
    expect(report.kills).toBeGreaterThanOrEqual(10);
  },
  // Some forty processes, each killed or asked.
  600_000,
);

test("killed while the checkout's snapshot is recorded, a run continues from its files, pushed or not", async () => {
  const next = (kills: number) => ({ atWrite: 3 + kills, file: "work-here" });
  const report = await killRuns("git", { kills: 4, random: () => 0.3, next });
  expect(report.faults).toEqual([]);
  expect(report.kills).toBe(4);
}, 600_000);

// All commands, at all points: `npm run kills -- --at-writes`, which takes hours.
const sampled = killScenarios.filter(({ name }) => ["run", "run behind walls", "resume"].includes(name));

test.each(sampled.flatMap((scenario) => (scenario.stores ?? stores).map((store) => ({ scenario, store }))))(
  "$scenario.name over the store $store, killed before some of its writes, ends as if it had not been",
  async ({ scenario, store }) => {
    const program = builtCommandLine();
    const report = await killAtPoints(scenario, { store, program, most: 3, parallel: 3 });
    expect(report.faults).toEqual([]);
    expect(report.kills).toBeGreaterThan(0);
  },
  600_000,
);
