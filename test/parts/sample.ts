import { createHash } from "node:crypto";
import { env } from "node:process";

/**
 * One case of each trick, chosen by the seed in `UNTIL_GREEN_SAMPLE`; all of them without a seed. The gate sets it to the
 * hash of the commit, so that another case is played each time.
 */
export function sampled<T>(
  cases: readonly T[],
  trickOf: (one: T) => string,
  seed = env["UNTIL_GREEN_SAMPLE"] ?? "all",
): readonly T[] {
  if (seed === "all") return cases;
  return [...Map.groupBy(cases, trickOf)].flatMap(([trick, same]) => {
    const hash = createHash("sha256").update(`${seed}\0${trick}`).digest();
    return same.slice(hash.readUInt32BE() % same.length).slice(0, 1);
  });
}
