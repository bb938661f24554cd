import { failingCounts } from "../../src/api/github.ts";
import { countLines, type Grade, gradeIn, type RemoteBranch } from "../../src/api/publishing.ts";
import { defined, needsReview, type Summary } from "../../src/api/runs.ts";
import { isReplaceable } from "./publish-plan.ts";
import type { Work } from "./work.ts";

/** The grade of a run's work, or of several runs published together. */
export async function gradeOf({ summary, others = [], gitDir, base, final }: Work): Promise<Grade> {
  const runs = [summary, ...others.map((one) => one.summary)];
  const green = runs.every(isGreen);
  const failing = green ? undefined : failingCounts(summary).after;
  const lines = others.length > 0 ? undefined : await countLines(gitDir, base, final);
  const review = runs.some(needsReview) ? true : undefined;
  return { green, ...defined({ failing, lines, review }) };
}

/** A check that was green before any agent call says the same about the work it started from. */
export const isGreen = ({ conclusion, stopReason }: Pick<Summary, "conclusion" | "stopReason">): boolean =>
  conclusion === "success" || (conclusion === "skipped" && stopReason === "nothing-to-do");

/** The grade of the work on a branch; `undefined` if nothing on it must be kept. */
export function publishedGrade(
  branch: RemoteBranch,
  pull: { readonly draft: boolean } | undefined,
): Grade | undefined {
  if (branch.tip === undefined) return undefined;
  const grade = branch.isOurs ? gradeIn(branch.message) : undefined;
  // A person has accepted it by making its pull request ready.
  if (grade?.review === true && pull?.draft === false) return { ...grade, review: undefined };
  if (grade !== undefined) return grade;
  if (pull !== undefined) return { green: !pull.draft };
  // Commits of people on a branch without a pull request belong to them: red work is never added on top.
  return isOwn(branch) ? undefined : { green: true };
}

/** True if a branch contains only what we published. */
export const isOwn = ({ isOurs, message }: RemoteBranch): boolean => isOurs && isReplaceable(message);
