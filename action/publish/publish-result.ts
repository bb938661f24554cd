import { dirname } from "node:path";
import { inMarkdown, inMarkdownWithCode } from "../../src/api/github.ts";
import { ExpiredTokenError, gitWorkspace, PushError } from "../../src/api/publishing.ts";
import { endSignal, messageOf, type SeriesFacts } from "../../src/api/runs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";
import type { StepResult } from "../result/step-result.ts";
import { UnopenedPullError } from "./open-pull.ts";
import { publishWork } from "./publish.ts";
import {
  type IterationSnapshots,
  type PublishContext,
  pushTokenName,
  snapshotsOf,
} from "./publish-context.ts";
import type { PublishPlan } from "./publish-plan.ts";
import { oneLine, type Templates } from "./pull-text.ts";
import { finalWork } from "./select-commits.ts";
import type { Published } from "./work.ts";

interface Publication {
  readonly context: PublishContext;
  /** Where a workflow's work is published; `undefined` if it is not. Throws if that is not allowed. */
  plan(workflow: string): PublishPlan | undefined;
  readonly snapshots: IterationSnapshots;
  /** The notes of its agents. */
  readonly notes: readonly string[];
  /** The series that the run belongs to. */
  readonly series: SeriesFacts | undefined;
  /** The user's templates for published texts. */
  readonly templates: Templates;
}

/** The result after publishing the work as requested; if that fails, the job fails. */
export async function publishEnding(
  { context, plan: planFor, snapshots, notes, series, templates }: Publication,
  ending: StepResult,
): Promise<StepResult> {
  const { summary } = ending;
  const { github, base, inputs, job, remote, refused } = context;
  if (github === undefined || summary === undefined || remote === undefined) return ending;
  try {
    const plan = planFor(summary.workflow);
    if (plan === undefined || !isWorth({ ...ending, continues: series?.from !== undefined }, plan))
      return ending;
    if (refused !== undefined) throw refused;
    if (snapshots.environment?.gitWorkspace === undefined || base === undefined)
      throw new RefusedError(
        "there is nothing to publish from: check the repository out with actions/checkout",
      );
    const now = (await lastSnapshot(summary.run, snapshots.environment.workspace, job)) ?? base;
    const gitDir = snapshotsOf(job, summary.run);
    const { checked, iterations } = snapshots;
    const { final, notice } = await finalWork({ gitDir, checked, now, disturbed: ending.disturbed === true });
    const work = { summary, gitDir, base, iterations, final };
    const texts = { series, templates, notes: notesShown(series, notes) };
    const published = await publishWork(work, { ...context, github, remote, plan, ...texts });
    if (published === undefined) return unchanged(ending, inputs["if-no-changes"]);
    const notices = notice === undefined ? published.notices : [...published.notices, notice];
    return shown(ending, { ...published, notices });
  } catch (error) {
    const expired = error instanceof ExpiredTokenError ? expiredToken(context, error) : undefined;
    const canLater = expired !== undefined || error === refused || error instanceof PushError;
    return unpublished(ending, expired ?? error, canLater);
  }
}

const expiredToken = ({ inputs, remote }: PublishContext, { reason }: ExpiredTokenError) =>
  new RefusedError(
    `${remote?.name} no longer accepts ${pushTokenName(inputs)} (${reason}): it has expired or was revoked. ` +
      "Use another token, or `app-id` and `app-private-key` of a GitHub App",
  );

/** Notes of earlier attempts and of this one, numbered as in the record of the goal. */
function notesShown(series: SeriesFacts | undefined, own: readonly string[]): readonly string[] {
  if (series === undefined) return [];
  const earlier = series.notes.split("\n").filter((line) => line !== "");
  const fresh = own
    .map((note) => oneLine(note, 500))
    .filter((note) => !earlier.some((line) => line.includes(note)));
  return [...earlier, ...fresh.map((note, at) => `${earlier.length + at + 1}. ${note} (agent)`)].slice(0, 20);
}

/** The whole checkout, including workflow files; what is published is decided later. */
async function lastSnapshot(runId: string, workspace: string, job: Job): Promise<string | undefined> {
  const { handle } = gitWorkspace({ privateDir: () => dirname(snapshotsOf(job, runId)) });
  const context = { runId, signal: endSignal, workspace };
  return (await handle({ op: "snapshot", since: undefined, message: "the workspace in the end" }, context))
    .commit;
}

/**
 * Red work is published as a draft, but never on a person's pull request or after a rejection. A run that started
 * from green work has updated it.
 */
export function isWorth(
  { conclusion, stopReason, continues }: Worth,
  { way: mode }: Pick<PublishPlan, "way">,
): boolean {
  if (conclusion === "success") return true;
  if (continues === true && conclusion === "skipped") return stopReason === "nothing-to-do";
  if (mode === "push" || stopReason === "rejected" || stopReason === "tampered") return false;
  return conclusion === "failure" || (conclusion === "paused" && stopReason === "gate");
}

interface Worth extends Pick<StepResult, "conclusion" | "stopReason"> {
  readonly continues?: boolean;
}

/** The result with the publication in its page and outputs. */
export function shown(ending: StepResult, published: Published): StepResult {
  const { branch, commit, pull, notices, aside } = published;
  const where =
    pull === undefined ? `branch ${inMarkdown(branch)}` : `[pull request #${pull.number}](${pull.url})`;
  const lines = [
    aside === true
      ? `📭 Not published: ${where} (${commit.slice(0, 12)}) stays as it is.`
      : `📬 Published to ${where} (${commit.slice(0, 12)}).`,
    ...notices.map((each) => `> [!NOTE]\n> ${inMarkdownWithCode(each)}`),
  ];
  return {
    ...ending,
    published,
    ...(aside === true ? { keptAside: aside } : {}),
    page: [...lines, ending.page].join("\n\n"),
    annotations: [...ending.annotations, ...notices.map((message) => annotation("notice", message))],
  };
}

/** The result of a run that left nothing to publish. */
export function unchanged(ending: StepResult, then: "warn" | "fail" | "ignore"): StepResult {
  if (then === "ignore" || ending.conclusion !== "success") return ending;
  const message = "The run changed no files, so there is nothing to publish";
  const level = then === "fail" ? "error" : "warning";
  const noted = { ...ending, annotations: [...ending.annotations, annotation(level, message)] };
  if (then === "warn") return { ...noted, page: `> [!WARNING]\n> ${message}.\n\n${ending.page}` };
  return {
    ...noted,
    conclusion: "failure",
    stopReason: "no-progress",
    page: `### ❌ ${message}\n\n${ending.page}`,
  };
}

/**
 * The result of a run whose work could not be published: it is stored, and the job fails. `canLater` is true if the
 * same work can be published once somebody has changed a setting.
 */
export function unpublished(ending: StepResult, error: unknown, canLater = false): StepResult {
  const { stateRef, summary } = ending;
  // A run that could not continue may lack its last records.
  const isKept = canLater && stateRef !== undefined && ending.stopReason !== "internal";
  const later = isKept
    ? `. To publish it later, run \`command: publish\` with \`run-id: ${summary?.run}\``
    : "";
  const message = `the work was not published: ${messageOf(error)}${later}`;
  const there = error instanceof UnopenedPullError ? { published: error.published } : {};
  return {
    ...ending,
    ...there,
    conclusion: "failure",
    stopReason: ending.conclusion === "failure" ? ending.stopReason : "internal",
    page: `### ❌ ${inMarkdownWithCode(message)}\n\n${ending.page}`,
    annotations: [...ending.annotations, annotation("error", message)],
  };
}
