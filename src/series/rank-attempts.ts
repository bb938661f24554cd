import type { Grade } from "./grade.ts";

/** The rules that choose among attempts if none or several are green. */
export type PickRule = "tests" | "metric" | "smallest-diff";

/** An attempt with its loop's metric for the resulting work; lower is better. */
interface Measured extends Grade {
  readonly metric?: number | undefined;
}

/** The indexes of the best attempts, compared by the rules in order; several if they are equal by every rule. */
export function bestOf(grades: readonly Measured[], rules: readonly PickRule[]): readonly number[] {
  const ranks = grades.map((grade) => [grade.green ? 0 : 1, ...rules.map((rule) => rankBy[rule](grade))]);
  const best = ranks.reduce<readonly number[] | undefined>(
    (one, rank) => (one === undefined || isBefore(rank, one) ? rank : one),
    undefined,
  );
  return ranks.flatMap((rank, at) => (rank.join() === best?.join() ? [at] : []));
}

/** Lower is better; an unknown value is worst. */
const rankBy: Readonly<Record<PickRule, (grade: Measured) => number>> = {
  tests: ({ green, failing = Infinity }) => (green ? 0 : failing),
  metric: ({ metric = Infinity }) => metric,
  "smallest-diff": ({ lines = Infinity }) => lines,
};

function isBefore(rank: readonly number[], other: readonly number[]): boolean {
  const at = rank.findIndex((value, place) => value !== other[place]);
  return at >= 0 && (rank[at] ?? 0) < (other[at] ?? 0);
}
