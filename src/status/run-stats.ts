import { toArray } from "./bounded-list.ts";
import { agentName } from "./headline.ts";
import type { Summary } from "./run-summary.ts";

/** Figures of some runs. */
export interface GroupStats {
  readonly name: string;
  readonly runs: number;
  readonly green: number;
  readonly red: number;
  /** Runs that have not ended. */
  readonly open: number;
  /** The share of ended runs with work to do that are green; 0 to 1. */
  readonly rate: number | undefined;
  /** Active time of green runs in milliseconds: median and 90th percentile. */
  readonly toGreenMs: { readonly half: number; readonly most: number } | undefined;
  readonly iterations: number;
  readonly costUsd: number;
  /** The cost of all runs, red ones included, per green run. */
  readonly costPerFix: number | undefined;
  /** Runs in which a check was both red and green on the same files. */
  readonly flaky: number;
}

/** Figures of all runs of a repository: in total, by workflow and by agent. */
export interface RunStats {
  readonly all: GroupStats;
  readonly workflows: readonly GroupStats[];
  readonly agents: readonly GroupStats[];
}

export function runStats(runs: readonly Summary[]): RunStats {
  return {
    all: groupStats("all runs", runs),
    workflows: grouped(runs, ({ workflow }) => workflow),
    agents: grouped(runs, ({ agent }) => (agent === undefined ? "none" : agentName(agent))),
  };
}

/** The largest group first. */
function grouped(runs: readonly Summary[], nameOf: (run: Summary) => string): readonly GroupStats[] {
  const groups = Map.groupBy(runs, nameOf);
  return [...groups]
    .map(([name, members]) => groupStats(name, members))
    .toSorted((a, b) => b.runs - a.runs || (a.name < b.name ? -1 : 1));
}

/** Figures of one group of runs. */
export function groupStats(name: string, runs: readonly Summary[]): GroupStats {
  const green = runs.filter(({ conclusion }) => conclusion === "success");
  const red = runs.filter(({ conclusion }) => conclusion === "failure" || conclusion === "cancelled");
  const ended = green.length + red.length;
  const times = green.map(({ activeMs }) => activeMs).toSorted((a, b) => a - b);
  const [half, most] = [0.5, 0.9].map(
    (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))],
  );
  const costUsd = runs.reduce((sum, { usage }) => sum + usage.cost_usd, 0);
  return {
    name,
    runs: runs.length,
    green: green.length,
    red: red.length,
    open: runs.filter(({ state }) => state !== "ended").length,
    rate: ended === 0 ? undefined : green.length / ended,
    toGreenMs: half === undefined || most === undefined ? undefined : { half, most },
    iterations: runs.reduce((sum, { iterations }) => sum + iterations, 0),
    costUsd,
    costPerFix: green.length === 0 ? undefined : costUsd / green.length,
    flaky: runs.filter(({ notices }) => toArray(notices).some(({ code }) => code === "FLAKY_CHECK")).length,
  };
}
