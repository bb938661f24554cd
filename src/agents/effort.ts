import { effortLevels } from "../ports/agent-settings.ts";

/** The known level that is nearest to the requested one: the next weaker one, or else the weakest. */
export function nearestEffort(effort: string, known: readonly string[]): string {
  const wantedLevel = effortLevels.indexOf(effort);
  if (wantedLevel < 0 || known.includes(effort)) return effort;
  const weaker = effortLevels.slice(0, wantedLevel).findLast((level) => known.includes(level));
  return weaker ?? effortLevels.find((level) => known.includes(level)) ?? effort;
}
