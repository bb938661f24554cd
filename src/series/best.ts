import type { Grade } from "./grade.ts";

/** Where the best of several attempts stands, by the order of `whyWorse`; of equal ones the first. */
export function bestOf(grades: readonly Grade[]): number {
  const ranks = grades.map(rankOf);
  return ranks.reduce((best, rank, at) => (isBefore(rank, ranks[best] ?? []) ? at : best), 0);
}

/** What is compared, most important first; less is better, and what is not known is worst. */
const rankOf = ({ green, failing = Infinity, lines = Infinity }: Grade): readonly number[] => [
  green ? 0 : 1,
  green ? 0 : failing,
  lines,
];

function isBefore(rank: readonly number[], other: readonly number[]): boolean {
  const at = rank.findIndex((value, place) => value !== other[place]);
  return at >= 0 && (rank[at] ?? 0) < (other[at] ?? 0);
}
