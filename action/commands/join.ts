import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { BrokenLogError, headline, inlineCode, inMarkdown, itemOf, type Summary } from "../../src/index.ts";
import type { Ending } from "../ending/ending.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { type Published, type PublishSetting, publishWork, type Work } from "../publish/publish.ts";
import { shown, unchanged } from "../publish/publish-ending.ts";
import { bringWork, findKept, type KeptRun } from "./kept-run.ts";

interface Join {
  /** The ids of the runs. */
  readonly names: readonly string[];
  readonly inputs: Inputs;
  readonly cwd: string;
  settingFor(workflow: string): Promise<PublishSetting | undefined>;
}

/** A run whose work is not in what was published, and why, in half a sentence. */
interface Missing {
  readonly run: string;
  readonly because: string;
}

/**
 * Joins the work of several runs, or of all items of one, in one publication: what succeeded is in it, all else is named,
 * and only where nothing is missing does the job that joins them succeed.
 */
export async function joinRuns({ names, inputs, cwd, settingFor }: Join, job: Job): Promise<Ending> {
  const { kept, missing } = await findAll({ names, inputs, cwd }, job);
  const [first] = kept;
  if (first === undefined)
    throw new RefusedError(
      "none of the runs that `run-id` names can be published",
      ...missing.map(({ run, because }) => `${nameOf(run)}: ${because}`),
    );
  const done = kept.filter(({ standing: { summary } }) => summary.conclusion === "success");
  const worked = done.filter(({ standing }) => standing.work !== undefined);
  const setting = await settingFor(first.standing.summary.workflow);
  const { work, strange } = await bringAll({ cwd, job }, worked);
  const all = [...missing, ...strange];
  const told = { names, kept, missing: all };
  if (work === undefined || setting === undefined) return unchanged(endingOf(told), inputs["if-no-changes"]);
  const published = await publishWork({ ...work, missing: all.map(sentence) }, setting);
  const known = [...all, ...unfitIn(published)];
  const ending = endingOf({ ...told, missing: known });
  return published === undefined ? unchanged(ending, inputs["if-no-changes"]) : shown(ending, published);
}

/** An item by its number, another run by its id. */
function nameOf(run: string): string {
  const item = itemOf(run);
  return item === undefined ? `run ${run}` : `item ${item.number} (run ${run})`;
}

const sentence = ({ run, because }: Missing) => `${nameOf(run)} ${because}`;

const unfitIn = (published: Published | undefined): readonly Missing[] =>
  (published?.unfit ?? []).map(({ run, conflicts }) => ({
    run,
    because: `does not fit on what is there already, in ${conflicts.slice(0, 5).join(", ")}`,
  }));

async function findAll({ names, inputs, cwd }: Omit<Join, "settingFor">, job: Job) {
  const kept: KeptRun[] = [];
  const missing: Missing[] = [];
  for (const run of names) {
    try {
      const found = await findKept({ run, cwd, inputs }, job);
      kept.push(found);
      const because = whyNot(found.standing.summary);
      if (because !== undefined) missing.push({ run, because });
    } catch (error) {
      if (!isItsOwn(error)) throw error;
      missing.push({ run, because: `is missing: ${error.message}` });
    }
  }
  return { kept, missing };
}

/** Why the work of a run is none to join: red work mixed with what is done nobody could tell apart. */
function whyNot(summary: Summary): string | undefined {
  const { state, conclusion = "failure" } = summary;
  if (state === "paused")
    return `is paused (${summary.stopReason ?? "gate"}): go on with it, then run this job again`;
  if (conclusion === "success" || conclusion === "skipped") return undefined;
  return `ended as ${conclusion} (${summary.stopReason ?? "internal"})`;
}

/** The work of several runs in the private repository of the first, which reads the objects of the others. */
async function bringAll(
  at: { readonly cwd: string; readonly job: Job },
  runs: readonly KeptRun[],
): Promise<{ readonly work: Work | undefined; readonly strange: readonly Missing[] }> {
  let first: Work | undefined;
  const beside: { summary: Summary; final: string }[] = [];
  const strange: Missing[] = [];
  for (const run of runs) {
    const work = await bringOne(run, at);
    if ("because" in work) {
      strange.push(work);
    } else if (first === undefined) {
      first = work;
    } else if (work.base !== first.base) {
      const because = `began from another commit than ${nameOf(first.summary.run)}: check the same commit out in each job, as in \`ref: \${{ github.sha }}\``;
      strange.push({ run: run.run, because });
    } else {
      const objects = join(work.gitDir, "objects");
      await appendFile(join(first.gitDir, "objects", "info", "alternates"), `${objects}\n`);
      beside.push({ summary: work.summary, final: work.final });
    }
  }
  return { work: first && { ...first, beside }, strange };
}

/** What is wrong with the work of one, such as a key that stood in it, keeps no other from being published. */
async function bringOne(
  kept: KeptRun,
  at: { readonly cwd: string; readonly job: Job },
): Promise<Work | Missing> {
  try {
    return await bringWork(kept, at);
  } catch (error) {
    if (!isItsOwn(error)) throw error;
    return { run: kept.run, because: `is left out: ${error.message}` };
  }
}

/** What is wrong with one run says nothing of the others. */
const isItsOwn = (error: unknown): error is Error =>
  error instanceof RefusedError || error instanceof BrokenLogError;

interface Told {
  readonly names: readonly string[];
  readonly kept: readonly KeptRun[];
  readonly missing: readonly Missing[];
}

function endingOf({ names, kept, missing }: Told): Ending {
  const summaries = kept.map(({ standing }) => standing.summary);
  const summary = joined(names, summaries);
  const isDone = missing.length === 0;
  const isIdle = summaries.every(({ conclusion }) => conclusion === "skipped");
  const conclusion = !isDone ? "failure" : isIdle ? "skipped" : "success";
  const stopReason = !isDone ? "node-failed" : isIdle ? "nothing-to-do" : "completed";
  const because = isDone ? undefined : `${missing.length} of ${names.length} are not in it`;
  const ended: Summary = { ...summary, state: "ended", conclusion, stopReason, because };
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

/** What all of them took, under the id of the run whose items they are, or of the first. */
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

function pageOf(summary: Summary, { names, kept, missing }: Told): string {
  const rows = names.map((run) => {
    const how = kept.find((one) => one.run === run)?.standing.summary;
    const not = missing.find((one) => one.run === run)?.because;
    const shownAs = not === undefined ? (how === undefined ? "" : headline(how)) : `❌ ${not}`;
    return `| ${itemOf(run)?.number ?? ""} | ${inlineCode(run)} | ${inMarkdown(shownAs)} |`;
  });
  const table = ["| item | run | |", "| --: | --- | --- |", ...rows].join("\n");
  const because = summary.because === undefined ? [] : [`**${inMarkdown(summary.because)}.**`];
  return [`### ${inMarkdown(headline(summary))}`, ...because, table].join("\n\n");
}
