import { apiOf, failingCounts, type GitHub, loadGitHub } from "../../src/api/github.ts";
import { changeGoal, type PastAttempt, withAttempt, withNote } from "../../src/api/publishing.ts";
import { defined, messageOf, needsReview, type SeriesFacts, type Summary } from "../../src/api/runs.ts";
import type { Job } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";
import { isGreen } from "../publish/published-grade.ts";
import type { StepResult } from "../result/step-result.ts";

interface EndedAttempt {
  readonly series: SeriesFacts;
  readonly github: GitHub;
  readonly base: string | undefined;
  readonly ending: StepResult;
  /** The notes of its agents. */
  readonly notes: readonly string[];
  /** Number of failed attempts in a row after which an issue is opened. */
  readonly failureIssue: number | undefined;
  /** The address of this job's log. */
  readonly log: string;
  readonly job: Job;
}

/** Records an ended attempt in its goal's record. */
export async function endAttempt(ended: EndedAttempt): Promise<void> {
  const { series, github, base, ending, notes, failureIssue, log, job } = ended;
  const { summary } = ending;
  if (summary?.state !== "ended") return;
  const { goalRefs } = await loadGitHub();
  const store = goalRefs({ api: apiOf(github), ...github.at });
  const clean = job.withoutSecrets;
  const attempt = attemptOf(
    summary,
    {
      by: job.env["GITHUB_ACTOR"] || undefined,
      base,
      file: series.file,
      green: isGreen(ending),
      published: ending.published !== undefined && !ending.keptAside,
      reason: ending.stopReason,
    },
    clean,
  );
  const record = await changeGoal(store, {
    goal: series.goal,
    message: `${summary.run} ended: ${ending.stopReason}`,
    change: (record) =>
      notes.reduce(
        (noted, text) => withNote(noted, { at: attempt.at, by: "agent", text: clean(text) }),
        withAttempt(record, attempt, ending.published?.pull?.number),
      ),
  });
  if (attempt.green && attempt.published && !needsReview(summary)) await answerReviewers(ended);
  if (failureIssue === undefined || attempt.reason === "cancelled") return;
  const { keepFailureIssue } = await import("./failure-issue.ts");
  try {
    await keepFailureIssue({ github, store, record, after: failureIssue, summary, job: log, clean });
  } catch (error) {
    const reason = clean(messageOf(error));
    const message = `failed attempts are not reported in an issue: ${reason}; give the job \`permissions: issues: write\`, or leave \`failure-issue\` out`;
    job.log.annotate(annotation("warning", message));
  }
}

interface Circumstances extends Pick<PastAttempt, "green" | "published" | "reason"> {
  readonly by: string | undefined;
  readonly base: string | undefined;
  readonly file: string | undefined;
}

/** An ended run, as its goal's record stores it. */
export function attemptOf(
  summary: Summary,
  { by, base, file, ...how }: Circumstances,
  clean: (text: string) => string,
): PastAttempt {
  const { input_tokens: read, output_tokens: written, cost_usd: usd } = summary.usage;
  return {
    run: summary.run,
    at: summary.endedAt ?? new Date().toISOString(),
    ...how,
    ...defined({ by, base, file, failing: failingCounts(summary).after }),
    ...(summary.because === undefined ? {} : { because: clean(summary.because) }),
    ...(summary.output === "" ? {} : { output: clean(summary.output) }),
    paths: pathsOf(summary),
    iterations: summary.iterations,
    usd,
    tokens: read + written,
  };
}

/** The files changed by iterations, if known. */
function pathsOf({ loops }: Summary): string[] {
  const rows = [...loops.first, ...loops.last].flatMap(({ rows }) => [...rows.first, ...rows.last]);
  return [...new Set(rows.flatMap(({ diff }) => diff?.paths ?? []))];
}

/** Each review thread is answered with the commit, and people who requested changes are asked to review again. */
async function answerReviewers({ series, github, ending, job }: EndedAttempt): Promise<void> {
  const { threads = [], reviewers = [] } = series;
  const { commit = "", pull } = ending.published ?? {};
  const { askPeople, resolveThread } = await loadGitHub();
  const answers = [
    ...threads.map((id) => () => resolveThread(github, id, `Addressed in ${commit}.`)),
    ...reviewers.map((login) => async () => {
      if (pull !== undefined)
        await askPeople(github, pull.number, { reviewers: [login], teams: [], assignees: [] });
    }),
  ];
  for (const answer of answers)
    try {
      await answer();
    } catch (error) {
      const reason = job.withoutSecrets(messageOf(error));
      job.log.annotate(annotation("warning", `a reviewer was not answered: ${reason}`));
    }
}
