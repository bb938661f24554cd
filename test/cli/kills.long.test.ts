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
