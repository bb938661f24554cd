import { runMarkdown } from "../../src/api/github.ts";
import { parseLogEvent, type Summary } from "../../src/api/runs.ts";
import type { Series } from "../../src/api/workflows.ts";
import { openClient, openPusher, planOf } from "../github/github-lifecycle.ts";
import { refuseFork, runPreflight } from "../github/preflight.ts";
import { publishToken } from "../github/publish-token.ts";
import { judgedHead } from "../github/pull-target.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { readGitHubContext } from "../job/github-context.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";
import { publishWork } from "../publish/publish.ts";
import { branchesOf } from "../publish/publish-context.ts";
import { isWorth, shown, unchanged } from "../publish/publish-result.ts";
import { templatesOf } from "../publish/pull-text.ts";
import type { PublishSetting } from "../publish/work.ts";
import { annotationsOf, type StepResult } from "../result/step-result.ts";
import { joinRuns, type Target } from "./join-items.ts";
import { fetchWork, type LoadedRuns, loadRuns, type Missing } from "./load-runs.ts";

interface Publishing {
  readonly inputs: Inputs;
  readonly cwd: string;
  /** Facts about the run that its status does not contain. */
  readonly texts?: Partial<Pick<PublishSetting, "templates" | "series" | "notes">>;
}

/** `command: publish`: publishes the work of other jobs' runs; runs no agent, and no code of the repository. */
export async function publishRun(
  { inputs: rawInputs, cwd, texts = {} }: Publishing,
  job: Job,
): Promise<StepResult> {
  const inputs: Inputs = {
    ...rawInputs,
    publish: rawInputs.publish === "none" ? "branch" : rawInputs.publish,
  };
  const site = readGitHubContext(job);
  if (site === undefined) throw new RefusedError("`command: publish` works only in a GitHub Actions job");
  refuseFork(site, site.fork);
  const github = await openClient(inputs);
  const { defaultBranch, pull, tip } = await runPreflight({ inputs, site, github }, job);
  if (github === undefined)
    throw new RefusedError("`command: publish` needs a token: omit `github-token` to use the job's token");
  const here = { ...site, pull };
  const settingFor: Target["settingFor"] = async ({ run, status }, loaded, issue) => {
    const seen = { ...here, issue: issue ?? here.issue };
    const { workflow } = status.summary;
    const plan = planOf({ inputs, site: seen, job }, { workflow, defaultBranch });
    if (plan === undefined) return undefined;
    if (plan.way === "push" && pull !== undefined) {
      const started = { run, origin: status.origin };
      const heads = [site.pull?.headSha, tip];
      await judgedHead({ cwd, number: pull.number, heads, head: undefined, started, github }, job);
    }
    const remote = await branchesOf({ site: seen, job, cwd }, await publishToken(inputs, job));
    const opener = await openPusher(inputs);
    const templates = texts.templates ?? templatesOf(inputs, await seriesOf(run, loaded), plan.issue);
    return { ...texts, templates, inputs, site: seen, github, opener, job, plan, remote, restored: [] };
  };
  const names = [...new Set((inputs["run-id"] ?? "").split(" "))];
  const [one = ""] = names;
  const target = { inputs, cwd, site: here, settingFor };
  return inputs.items === undefined && names.length === 1
    ? await publishOne(one, target, job)
    : await joinRuns(names, target, job);
}

async function publishOne(run: string, target: Target, job: Job): Promise<StepResult> {
  const { inputs, cwd, settingFor } = target;
  const loaded = await loadRuns([run], target, job);
  const kept = onlyOne(loaded.kept, loaded.missing);
  const { status } = kept;
  const ending = endingOf(status.summary);
  const setting = await settingFor(kept, loaded, status.origin?.issue);
  if (setting === undefined || !isWorth(ending, setting.plan)) return unfit(ending);
  if (status.work === undefined) return unchanged(ending, inputs["if-no-changes"]);
  const { works, missing } = await fetchWork(loaded, loaded.kept, { cwd, job });
  const published = await publishWork(onlyOne(works, missing), setting);
  return published === undefined ? unchanged(ending, inputs["if-no-changes"]) : shown(ending, published);
}

function onlyOne<T>([one]: readonly T[], missing: readonly Missing[]): T {
  if (one !== undefined) return one;
  throw new RefusedError(...missing.map(({ reason }) => reason));
}

/** The settings of the run's workflow file that this job can read. */
async function seriesOf(run: string, { store, isReadable }: LoadedRuns): Promise<Series | undefined> {
  const [first] = isReadable ? await store.read(run) : [];
  const event = first === undefined ? undefined : parseLogEvent(first);
  return event?.type === "run.started" ? event.plan.series : undefined;
}

/** The run's own conclusion: failed work stays failed. */
function endingOf(summary: Summary): StepResult {
  const conclusion = summary.state === "paused" ? "paused" : (summary.conclusion ?? "failure");
  return {
    conclusion,
    stopReason: summary.stopReason ?? "internal",
    page: runMarkdown(summary),
    annotations: annotationsOf(conclusion, summary),
    summary,
    output: summary.output,
  };
}

function unfit(ending: StepResult): StepResult {
  const message = `nothing is published for a run that ended as ${ending.conclusion} (${ending.stopReason})`;
  return {
    ...ending,
    page: `> [!WARNING]\n> **Not published:** ${message}.\n\n${ending.page}`,
    annotations: [...ending.annotations, annotation("warning", message)],
  };
}
