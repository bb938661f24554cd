import { execFileSync } from "node:child_process";
import { durations } from "./durations.ts";

/** What the sampled tests test. A change of any of it plays all of them. */
const tested =
  /^(src\/(checks|workspace|local|processes)\/|src\/engine\/nodes\/|test\/(forgeries|honest)\/|package-lock\.json$)/;

const git = (...args: readonly string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();

/**
 * The commit before this change: the one given, or the last one with a green gate that was recorded. Undefined if it is
 * not in this clone, or no ancestor.
 */
export function baseOf(given: string | undefined): string | undefined {
  const commit = given === undefined || /^0*$/.test(given) ? durations.green : given;
  if (commit === undefined) return undefined;
  try {
    git("merge-base", "--is-ancestor", commit, "HEAD");
    return git("rev-parse", `${commit}^{commit}`);
  } catch {
    return undefined;
  }
}

/** Which of the sampled tests to play: the seed of the sample, or `all`. */
export function sampleFor(base: string | undefined): string {
  const changed = base === undefined ? [] : git("diff", "--name-only", base, "HEAD").split("\n");
  return changed.some((file) => tested.test(file)) ? "all" : git("rev-parse", "--short=12", "HEAD");
}
