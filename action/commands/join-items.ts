import { inlineCode, inMarkdown, inMarkdownWithCode } from "../../src/api/github.ts";
import { headline, itemOf, type Summary, wordsOfReason } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubContext } from "../job/github-context.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { publishWork } from "../publish/publish.ts";
import { shown, unchanged } from "../publish/publish-result.ts";
import { nameOfRun, type Published, type PublishSetting, type Work, whyUnfit } from "../publish/work.ts";
import type { StepResult } from "../result/step-result.ts";
import { fetchWork, type LoadedRun, type LoadedRuns, loadRuns, type Missing } from "./load-runs.ts";

interface Join {
  /** The ids of the runs. */
  readonly names: readonly string[];
  readonly inputs: Inputs;
  readonly cwd: string;
  readonly site: GitHubContext;
  settingFor(workflow: string): Promise<PublishSetting | undefined>;
}

/**
 * Publishes the work of several runs, or of all items of one, together. The publication contains successful work and
 * names everything else; the joining job succeeds only if nothing is missing.
 */
export async function joinRuns(
  { names, inputs, cwd, site, settingFor }: Join,
  job: Job,
): Promise<StepResult> {
  const loaded = await loadRuns({ runs: names, cwd, inputs, site }, job);
  const { kept } = loaded;
  const unordered = [
    ...loaded.missing.map(({ run, because }) => ({ run, because: `is missing: ${because}` })),
    ...kept.flatMap(({ run, status }) => {
      const reason = whyNot(status.summary);
      return reason === undefined ? [] : [{ run, because: reason }];
    }),
  ];
  const missing = unordered.toSorted((a, b) => names.indexOf(a.run) - names.indexOf(b.run));
  const [first] = kept;
  if (first === undefined)
    throw new RefusedError(
      "none of the runs in `run-id` can be published",
      ...missing.map(({ run, because }) => `${nameOfRun(run)}: ${because}`),
    );
  const done = kept.filter(({ status: { summary } }) => summary.conclusion === "success");
  const worked = done.filter(({ status }) => status.work !== undefined);
  const setting = await settingFor(first.status.summary.workflow);
  const { work, strange } = await fetchAll({ cwd, job, loaded }, worked);
  const all = [...missing, ...strange];
  const report = { names, kept, missing: all };
  if (work === undefined || setting === undefined)
    return unchanged(endingOf(report), inputs["if-no-changes"]);
  const published = await publishWork({ ...work, missing: all.map(sentence) }, setting);
  const known = [...all, ...unfitIn(published)];
  const ending = endingOf({ ...report, missing: known });
  return published === undefined ? unchanged(ending, inputs["if-no-changes"]) : shown(ending, published);
}

const sentence = ({ run, because }: Missing) => `${nameOfRun(run)} ${because}`;

const unfitIn = (published: Published | undefined): readonly Missing[] =>
  (published?.unfit ?? []).map((unfit) => ({ run: unfit.run, because: whyUnfit(unfit) }));

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
  { cwd, job, loaded }: { readonly cwd: string; readonly job: Job; readonly loaded: LoadedRuns },
  runs: readonly LoadedRun[],
): Promise<{ readonly work: Work | undefined; readonly strange: readonly Missing[] }> {
  const { works, missing } = await fetchWork(loaded, runs, { cwd, job });
  const [first, ...others] = works;
  if (first === undefined) return { work: undefined, strange: missing.map(leftOut) };
  const elsewhere = others.filter(({ base }) => base !== first.base);
  const reason = `started from a different commit than ${nameOfRun(first.summary.run)}: check out the same commit in each job, for example with \`ref: \${{ github.sha }}\``;
  const strange = [
    ...missing.map(leftOut),
    ...elsewhere.map(({ summary: { run } }) => ({ run, because: reason })),
  ];
  return { work: { ...first, beside: others.filter(({ base }) => base === first.base) }, strange };
}

const leftOut = ({ run, because }: Missing) => ({ run, because: `is left out: ${because}` });

interface JoinReport {
  readonly names: readonly string[];
  readonly kept: readonly LoadedRun[];
  readonly missing: readonly Missing[];
}

function endingOf({ names, kept, missing }: JoinReport): StepResult {
  const summaries = kept.map(({ status }) => status.summary);
  const summary = joined(names, summaries);
  const isDone = missing.length === 0;
  const isIdle = summaries.every(({ conclusion }) => conclusion === "skipped");
  const conclusion = !isDone ? "failure" : isIdle ? "skipped" : "success";
  const stopReason = !isDone ? "node-failed" : isIdle ? "nothing-to-do" : "completed";
  const reason = isDone ? undefined : `${missing.length} of ${names.length} are not in it`;
  const ended: Summary = { ...summary, state: "ended", conclusion, stopReason, because: reason };
  return {
    conclusion,
    stopReason,
    page: pageOf(ended, { names, kept, missing }),
    annotations: missing.map((one) => ({
      level: "error",
      title: "until-green: not in it",
      message: sentence(one),
    })),
    summary: ended,
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
    const how = kept.find((one) => one.run === run)?.status.summary;
    const not = missing.find((one) => one.run === run)?.because;
    const shownAs = not === undefined ? (how === undefined ? "" : headline(how)) : `❌ ${not}`;
    return `| ${itemOf(run)?.number ?? ""} | ${inlineCode(run)} | ${inMarkdown(shownAs)} |`;
  });
  const table = ["| item | run | |", "| --: | --- | --- |", ...rows].join("\n");
  const because = summary.because === undefined ? [] : [`**${inMarkdownWithCode(summary.because)}.**`];
  return [`### ${inMarkdown(headline(summary))}`, ...because, table].join("\n\n");
}
