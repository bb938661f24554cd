import { toArray } from "../status/bounded-list.ts";
import type { LoopSummary } from "../status/loop-summary.ts";
import type { Summary } from "../status/run-summary.ts";

/**
 * How many tests failed before the first iteration of a run's loops and after the last one; `undefined` if no check
 * reported it.
 */
export interface FailingCounts {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

export function failingCounts({ loops }: Pick<Summary, "loops">): FailingCounts {
  // The outer loop's check already covers the tests of an inner loop.
  const outer = toArray(loops).filter(({ path }) => !path.includes("#"));
  return {
    before: sum(outer.map((loop) => firstCount(isAttempts(loop) ? within(loop, loops) : loop))),
    after: sum(outer.map((loop) => (isAttempts(loop) ? countOfChosen(loop) : lastCount(loop)))),
  };
}

const isAttempts = ({ mode }: LoopSummary) => mode === "attempts";

/** The loop of the first attempt: all attempts start from the same state. */
const within = (attempts: LoopSummary, loops: Summary["loops"]): LoopSummary =>
  toArray(loops).find(({ path }) => path.startsWith(`${attempts.path}#`)) ?? attempts;

const countOfChosen = ({ rows, chosen }: LoopSummary) =>
  toArray(rows).find(({ number }) => number === chosen)?.failing;

const countsOf = ({ before, rows }: LoopSummary) => [
  before?.failing,
  ...toArray(rows).map(({ failing }) => failing),
];
const firstCount = (loop: LoopSummary) => countsOf(loop).find((count) => count !== undefined);
const lastCount = (loop: LoopSummary) => countsOf(loop).findLast((count) => count !== undefined);

function sum(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((all, one) => all + one, 0);
}
