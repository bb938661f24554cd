/** Archon's levels, each harder than the one before. A program has some of them. */
const levels: readonly string[] = [
  ...["minimal", "low", "medium", "high"],
  ...["xhigh", "max", "ultra", "persistent"],
];

/** The known level that is nearest to the requested one: the next weaker one, or else the weakest. */
export function nearestEffort(effort: string, known: readonly string[]): string {
  const wantedLevel = levels.indexOf(effort);
  if (wantedLevel < 0 || known.includes(effort)) return effort;
  const weaker = levels.slice(0, wantedLevel).findLast((level) => known.includes(level));
  return weaker ?? levels.find((level) => known.includes(level)) ?? effort;
}
