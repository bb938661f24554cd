import { expect, test } from "vitest";
import { killRuns } from "../parts/kills.ts";

// More of them: `npm run kills`.
test.each(["dir", "git"] as const)(
  "processes killed at any moment over the store %s lose nothing and repeat nothing unsaid",
  async (store) => {
    const report = await killRuns(store, { kills: 10, random: Math.random });
    expect(report.faults).toEqual([]);
    expect(report.kills).toBeGreaterThanOrEqual(10);
  },
  // Some forty processes, each killed or asked.
  600_000,
);

test("killed while the checkout's snapshot is noted, a run goes on from its files, pushed or not", async () => {
  const next = (kills: number) => ({ atWrite: 3 + kills, file: "work-here" });
  const report = await killRuns("git", { kills: 4, random: () => 0.3, next });
  expect(report.faults).toEqual([]);
  expect(report.kills).toBe(4);
}, 600_000);
