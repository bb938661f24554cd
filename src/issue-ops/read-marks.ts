import { statusOf } from "../github/api.ts";
import type { GitHub } from "../github/client.ts";
import { checkName } from "../render/check-run.ts";
import { markIn, stickyMarker } from "../render/sticky-comment.ts";
import type { Summary } from "../status/run-summary.ts";

interface DisplayedRun {
  readonly run: Pick<Summary, "run" | "workflow">;
  readonly pull: number | undefined;
  /** The id of the run's comment, if recorded. */
  readonly comment: number | undefined;
  /** The commits that may have a check of the run. */
  readonly heads: readonly (string | undefined)[];
}

/**
 * The commits of a run's record that its comment and checks have shown. Someone who can only write the record cannot
 * change them, and GitHub deletes no check. Things that this token may not read are skipped; other errors are thrown.
 */
export async function readMarks(github: GitHub, shown: DisplayedRun): Promise<readonly string[]> {
  const heads = [...new Set(shown.heads.filter((head) => head !== undefined))];
  const checks = heads.map((head) => checksOf(github, shown.run, head));
  const texts = await Promise.all([commentOf(github, shown), ...checks].map(orNone));
  return [...new Set(texts.flat().flatMap((text) => markIn(text) ?? []))];
}

async function commentOf(github: GitHub, { run, pull, comment }: DisplayedRun): Promise<readonly string[]> {
  if (pull === undefined) return [];
  const { findComment, jobLogin, readComment } = await import("../github/index.ts");
  const query = { issue: pull, marker: stickyMarker(run.run), id: comment };
  const by = [await github.login(), jobLogin];
  const own = (await readComment(github, query)) ?? (await findComment(github, { ...query, by }));
  return own === undefined ? [] : [own.body];
}

async function checksOf(github: GitHub, run: DisplayedRun["run"], head: string): Promise<readonly string[]> {
  const { readCheckSummaries } = await import("../github/index.ts");
  return await readCheckSummaries(github, { head, name: checkName(run), externalId: run.run });
}

async function orNone(marks: Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await marks;
  } catch (error) {
    if ([401, 403, 404, 410].includes(statusOf(error) ?? 0)) return [];
    throw error;
  }
}
