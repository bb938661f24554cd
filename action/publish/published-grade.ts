import { failingCounts } from "../../src/api/github.ts";
import { countLines, type Grade, gradeIn, type RemoteBranch } from "../../src/api/publishing.ts";
import type { Summary } from "../../src/api/runs.ts";
import { isReplaceable } from "./publish-plan.ts";

interface Work {
  readonly summary: Summary;
  readonly gitDir: string;
  readonly base: string;
  readonly final: string;
  readonly beside?: readonly { readonly summary: Summary }[];
}

/** The grade of a run's work, or of several runs published together. */
export async function gradeOf({ summary, beside = [], gitDir, base, final }: Work): Promise<Grade> {
  const green = [summary, ...beside.map((one) => one.summary)].every(isGreen);
  const { after } = failingCounts(summary);
  const lines = beside.length > 0 ? undefined : await countLines(gitDir, base, final);
  return {
    green,
    ...(green || after === undefined ? {} : { failing: after }),
    ...(lines === undefined ? {} : { lines }),
  };
}

/** A check that was green before any agent call says the same about the work it started from. */
const isGreen = ({ conclusion, stopReason }: Summary) =>
  conclusion === "success" || (conclusion === "skipped" && stopReason === "nothing-to-do");

/** The grade of the work on a branch; `undefined` if nothing on it must be kept. */
export function publishedGrade(
  branch: RemoteBranch,
  pull: { readonly draft: boolean } | undefined,
): Grade | undefined {
  if (branch.tip === undefined) return undefined;
  const grade = branch.isOurs ? gradeIn(branch.message) : undefined;
  if (grade !== undefined) return grade;
  if (pull !== undefined) return { green: !pull.draft };
  // Commits of people on a branch without a pull request belong to them: red work is never added on top.
  return isOwn(branch) ? undefined : { green: true };
}

/** True if a branch contains only what we published. */
export const isOwn = ({ isOurs, message }: RemoteBranch): boolean => isOurs && isReplaceable(message);
