import {
  codeBlock,
  failingTestMarkdown,
  type GitHub,
  inlineCode,
  inMarkdownWithCode,
  loadGitHub,
} from "../../src/api/github.ts";
import { changeGoal, failuresOf, type GoalRecord, type PastAttempt } from "../../src/api/publishing.ts";
import { type GoalStore, type Summary, wordsOfReason } from "../../src/api/runs.ts";

interface Reported {
  readonly github: GitHub;
  readonly store: GoalStore;
  /** The record including the attempt that has just ended. */
  readonly record: GoalRecord;
  /** Number of failed attempts in a row after which they are reported. */
  readonly after: number;
  readonly summary: Summary;
  /** The address of this job's log. */
  readonly job: string;
  clean(text: string): string;
}

/** Reports repeated failures of attempts in one issue: opened, updated, and closed after a success. */
export async function keepFailureIssue(reported: Reported): Promise<void> {
  const { github, store, record, after, job, clean } = reported;
  const { goal, issue } = record;
  const { closeIssue, createIssue, findIssue, updateIssue } = await loadGitHub();
  const failures = failuresOf(record);
  const remember = (number: number | undefined) =>
    changeGoal(store, {
      goal,
      message: number === undefined ? "the failures are over" : `failures are reported in #${number}`,
      change: ({ issue: _, ...kept }) => (number === undefined ? kept : { ...kept, issue: number }),
    });
  if (failures === 0) {
    if (issue === undefined) return;
    await closeIssue(github, issue, `[The last attempt](${job}) succeeded.`);
    await remember(undefined);
    return;
  }
  if (issue === undefined && failures < after) return;
  const marker = `<!-- until-green failures ${goal.replaceAll("--", "")} -->`;
  const text = {
    title: clean(`until-green: ${reported.summary.workflow} keeps failing`).slice(0, 250),
    body: clean(bodyOf(reported, marker, failures)),
  };
  const known = issue ?? (await findIssue(github, marker));
  const isThere = known !== undefined && (await updateIssue(github, known, text));
  const number = isThere ? known : await createIssue(github, text);
  if (number !== issue) await remember(number);
}

function bodyOf({ record, summary, job }: Reported, marker: string, failures: number): string {
  const { goal, attempts, pull } = record;
  const { check } = summary;
  const names = check?.failing.slice(0, 20).map(failingTestMarkdown) ?? [];
  const times = failures === 1 ? "1 attempt" : `${failures} attempts in a row`;
  return [
    marker,
    `${times} of ${inlineCode(summary.workflow)} on ${inlineCode(goal)} failed. [The last one](${job}): ${wordsOfReason(summary.stopReason ?? "node-failed")}.`,
    ...(pull === undefined ? [] : [`The work so far is in #${pull.number}.`]),
    ...(names.length === 0 ? [] : ["### Failing tests", names.join("\n")]),
    ...(check === undefined
      ? []
      : [`<details><summary>Last lines of the check</summary>\n\n${codeBlock(check.tail)}\n\n</details>`]),
    "### Last attempts",
    [
      "| Attempt | Ended | Failing tests | Cost |",
      "| --- | --- | --: | --: |",
      ...attempts.slice(-10).map(rowOf),
    ].join("\n"),
    "The next success closes this issue. To try again with advice, start a run with a `message`.",
  ].join("\n\n");
}

const rowOf = ({ run, at, green, reason, failing, usd, because }: PastAttempt) => {
  const why = because === undefined || green ? "" : `: ${inMarkdownWithCode(because.slice(0, 120))}`;
  return `| ${inlineCode(run)} ${at.slice(0, 16).replace("T", " ")} | ${green ? "✅" : "❌"} ${wordsOfReason(reason)}${why.replaceAll("|", "\\|")} | ${failing ?? ""} | $${usd.toFixed(2)} |`;
};
