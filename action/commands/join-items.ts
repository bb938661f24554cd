import { inlineCode, inMarkdown, inMarkdownWithCode } from "../../src/api/github.ts";
import { headline, itemOf, type Summary, wordsOfReason } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubContext } from "../job/github-context.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";
import { publishWork } from "../publish/publish.ts";
import { shown, unchanged } from "../publish/publish-result.ts";
import { nameOfRun, type Published, type PublishSetting, type Work, whyUnfit } from "../publish/work.ts";
import type { StepResult } from "../result/step-result.ts";
import {
  type Checkout,
  fetchWork,
  type LoadedRun,
  type LoadedRuns,
  loadRuns,
  type Missing,
} from "./load-runs.ts";

/** How runs of other jobs are published. */
export interface Target {
  readonly inputs: Inputs;
  readonly cwd: string;
  readonly site: GitHubContext;
  /** The setting for a run's work; `undefined` if it is not published. */
  settingFor(run: LoadedRun, loaded: LoadedRuns, issue?: number): Promise<PublishSetting | undefined>;
}

/**
 * Publishes the work of several runs, or of all items of one, together. The publication contains successful work and
 * names everything else; the joining job succeeds only if nothing is missing.
 */
export async function joinRuns(names: readonly string[], target: Target, job: Job): Promise<StepResult> {
  const { inputs, cwd, settingFor } = target;
  const loaded = await loadRuns(names, target, job);
  const { kept } = loaded;
  const unordered = [
    ...loaded.missing.map(({ run, reason }) => ({ run, reason: `is missing: ${reason}` })),
    ...kept.flatMap(({ run, status }) => {
      const reason = whyNot(status.summary);
      return reason === undefined ? [] : [{ run, reason }];
    }),
  ];
  const missing = unordered.toSorted((a, b) => names.indexOf(a.run) - names.indexOf(b.run));
  const [first] = kept;
  if (first === undefined)
    throw new RefusedError(
      "none of the runs in `run-id` can be published",
      ...missing.map(({ run, reason }) => `${nameOfRun(run)}: ${reason}`),
    );
  const done = kept.filter(({ status: { summary } }) => summary.conclusion === "success");
  const worked = done.filter(({ status }) => status.work !== undefined);
  const setting = await settingFor(first, loaded);
  const { work, strange } = await fetchAll(loaded, worked, { cwd, job });
  const all = [...missing, ...strange];
  const report = { names, kept, missing: all };
  if (work === undefined || setting === undefined)
    return unchanged(endingOf(report), inputs["if-no-changes"]);
  const published = await publishWork({ ...work, missing: all.map(sentence) }, setting);
  const known = [...all, ...unfitIn(published)];
  const ending = endingOf({ ...report, missing: known });
  return published === undefined ? unchanged(ending, inputs["if-no-changes"]) : shown(ending, published);
}

const sentence = ({ run, reason }: Missing) => `${nameOfRun(run)} ${reason}`;

const unfitIn = (published: Published | undefined): readonly Missing[] =>
  (published?.unfit ?? []).map((unfit) => ({ run: unfit.run, reason: whyUnfit(unfit) }));

/** Why a run cannot be joined: its finished work cannot be told from its unfinished work. */
function whyNot(summary: Summary): string | undefined {
  const { state, conclusion = "failure" } = summary;
  if (state === "paused")
    return `is paused (${wordsOfReason(summary.stopReason ?? "gate")}): resume it, then re-run this job`;
  if (conclusion === "success" || conclusion === "skipped") return undefined;
  return conclusion === "cancelled"
    ? "was cancelled"
    : `failed (${wordsOfReason(summary.stopReason ?? "internal")})`;
}

/** The work of the runs that started from the same commit as the first one. */
async function fetchAll(
  loaded: LoadedRuns,
  runs: readonly LoadedRun[],
  checkout: Checkout,
): Promise<{ readonly work: Work | undefined; readonly strange: readonly Missing[] }> {
  const { works, missing } = await fetchWork(loaded, runs, checkout);
  const leftOut = missing.map(({ run, reason }) => ({ run, reason: `is left out: ${reason}` }));
  const [first, ...others] = works;
  if (first === undefined) return { work: undefined, strange: leftOut };
  const { same = [], elsewhere = [] } = Object.groupBy(others, ({ base }) =>
    base === first.base ? "same" : "elsewhere",
  );
  const reason = `started from a different commit than ${nameOfRun(first.summary.run)}: check out the same commit in each job, for example with \`ref: \${{ github.sha }}\``;
  const strange = elsewhere.map(({ summary: { run } }) => ({ run, reason }));
  return { work: { ...first, others: same }, strange: [...leftOut, ...strange] };
}

interface JoinReport {
  readonly names: readonly string[];
  readonly kept: readonly LoadedRun[];
  readonly missing: readonly Missing[];
}

function endingOf({ names, kept, missing }: JoinReport): StepResult {
  const summaries = kept.map(({ status }) => status.summary);
  const isDone = missing.length === 0;
  const isIdle = summaries.every(({ conclusion }) => conclusion === "skipped");
  const conclusion = !isDone ? "failure" : isIdle ? "skipped" : "success";
  const stopReason = !isDone ? "node-failed" : isIdle ? "nothing-to-do" : "completed";
  const reason = isDone ? undefined : `${missing.length} of ${names.length} are not in it`;
  const summary: Summary = {
    ...joined(names, summaries),
    state: "ended",
    conclusion,
    stopReason,
    because: reason,
  };
  return {
    conclusion,
    stopReason,
    page: pageOf(summary, { names, kept, missing }),
    annotations: missing.map((one) => annotation("error", sentence(one), "not in it")),
    summary,
    output: missing.map(sentence).join("\n") || summary.output,
  };
}

/** The total cost, under the id of the run that the items belong to, or of the first run. */
function joined(names: readonly string[], summaries: readonly Summary[]): Summary {
  const [first] = summaries;
  if (first === undefined) throw new TypeError("there is no run to join");
  const sum = (of: (summary: Summary) => number) => summaries.reduce((all, one) => all + of(one), 0);
  return {
    ...first,
    run: itemOf(names[0] ?? "")?.of ?? first.run,
    iterations: sum(({ iterations }) => iterations),
    activeMs: sum(({ activeMs }) => activeMs),
    usage: {
      input_tokens: sum(({ usage }) => usage.input_tokens),
      output_tokens: sum(({ usage }) => usage.output_tokens),
      cost_usd: sum(({ usage }) => usage.cost_usd),
    },
  };
}

function pageOf(summary: Summary, { names, kept, missing }: JoinReport): string {
  const rows = names.map((run) => {
    const ended = kept.find((one) => one.run === run)?.status.summary;
    const reason = missing.find((one) => one.run === run)?.reason;
    const result = reason === undefined ? ended && headline(ended) : `❌ ${reason}`;
    return `| ${itemOf(run)?.number ?? ""} | ${inlineCode(run)} | ${inMarkdown(result ?? "")} |`;
  });
  const table = ["| item | run | |", "| --: | --- | --- |", ...rows].join("\n");
  const because = summary.because === undefined ? [] : [`**${inMarkdownWithCode(summary.because)}.**`];
  return [`### ${inMarkdown(headline(summary))}`, ...because, table].join("\n\n");
}
