import { expect, test } from "vitest";
import { statsPage, statsText } from "../../src/render/run-stats.ts";
import { runStats } from "../../src/status/run-stats.ts";
import { type Summary, startSummary } from "../../src/status/run-summary.ts";

const run = (more: Partial<Summary>, cost = 0): Summary => ({
  ...startSummary(),
  workflow: "fix",
  agent: "claude",
  state: "ended",
  usage: { input_tokens: 0, output_tokens: 0, cost_usd: cost },
  ...more,
});
const flaky = { type: "notice", code: "FLAKY_CHECK", message: "red and green" } as const;
const runs = [
  run({ conclusion: "success", activeMs: 60_000, iterations: 2 }, 1),
  run({ conclusion: "success", activeMs: 120_000, iterations: 3 }, 2),
  run({ conclusion: "failure", activeMs: 900_000, notices: { first: [flaky], last: [], left: 0 } }, 3),
  run({ conclusion: "skipped", activeMs: 5 }),
  run({ state: "paused", agent: "codex", workflow: "<b>docs</b>" }),
];

test("figures count what ended with something to do, and a fix costs what all runs cost", () => {
  const { all, agents, workflows } = runStats(runs);
  expect(all).toEqual({
    name: "all runs",
    runs: 5,
    green: 2,
    red: 1,
    open: 1,
    rate: 2 / 3,
    toGreenMs: { half: 120_000, most: 120_000 },
    iterations: 5,
    costUsd: 6,
    costPerFix: 3,
    flaky: 1,
  });
  expect(agents.map(({ name, runs: count }) => [name, count])).toEqual([
    ["claude", 4],
    ["codex", 1],
  ]);
  expect(workflows.at(1)).toMatchObject({ name: "<b>docs</b>", rate: undefined, costPerFix: undefined });
});

test("they are a text and a page, in which a workflow's name is never markup", () => {
  expect(statsText(runStats(runs))).toMatch(/By agent\n.*\nclaude +4 +2 +0 +67 % +2 m 0 s/);
  const page = statsPage(runStats(runs));
  expect(page).toContain("<title>5 runs, 67 % green</title>");
  expect(page).toContain("&lt;b&gt;docs&lt;/b&gt;");
  expect(page).not.toContain("<b>docs");
  expect(statsText(runStats([]))).toContain("All runs");
});
