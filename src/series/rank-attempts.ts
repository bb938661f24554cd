import type { Grade } from "./grade.ts";

/** The rules that choose among attempts if none or several are green. */
export type PickRule = "tests" | "metric" | "smallest-diff";

/** An attempt with the number that its loop's metric gave for the work it left; less is better. */
interface Measured extends Grade {
  readonly metric?: number | undefined;
}

/** Where the best of several attempts stand, by rules in their order; of those that are equal by all of them, each. */
export function bestOf(grades: readonly Measured[], rules: readonly PickRule[]): readonly number[] {
  const ranks = grades.map((grade) => [grade.green ? 0 : 1, ...rules.map((rule) => rankBy[rule](grade))]);
  const best = ranks.reduce<readonly number[] | undefined>(
    (one, rank) => (one === undefined || isBefore(rank, one) ? rank : one),
    undefined,
  );
  return ranks.flatMap((rank, at) => (rank.join() === best?.join() ? [at] : []));
}

/** Less is better; an unknown value is worst. */
const rankBy: Readonly<Record<PickRule, (grade: Measured) => number>> = {
  tests: ({ green, failing = Infinity }) => (green ? 0 : failing),
  metric: ({ metric = Infinity }) => metric,
  "smallest-diff": ({ lines = Infinity }) => lines,
};

function isBefore(rank: readonly number[], other: readonly number[]): boolean {
  const at = rank.findIndex((value, place) => value !== other[place]);
  return at >= 0 && (rank[at] ?? 0) < (other[at] ?? 0);
}
