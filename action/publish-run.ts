import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { gitWorkspace, page, readBranches, readStanding, readWithheld, type Standing } from "../src/index.ts";
import { annotationsOf, type Ending } from "./ending.ts";
import { openClient, planOf } from "./hosting.ts";
import type { Inputs } from "./inputs.ts";
import { type Job, RefusedError } from "./job.ts";
import { type Keeping, openKeeping } from "./keeping.ts";
import { branchesOf, snapshotsOf } from "./place.ts";
import { prepareGround, refuseFork } from "./preflight.ts";
import { publishWork, type Work } from "./publish.ts";
import { isWorth, shown, unchanged } from "./publish-ending.ts";
import { readSite } from "./site.ts";

/** `command: publish`: publishes what runs of other jobs have done; runs no agent, and no code of the repository. */
export async function publishRun(given: Inputs, cwd: string, job: Job): Promise<Ending> {
  const inputs: Inputs = { ...given, publish: given.publish === "none" ? "branch" : given.publish };
  const site = readSite(job);
  if (site === undefined)
    throw new RefusedError("`command: publish` publishes on GitHub: run it in a job there");
  refuseFork(site, site.fork);
  const github = await openClient(inputs, site);
  const { defaultBranch, pull } = await prepareGround(inputs, site, github);
  if (github === undefined)
    throw new RefusedError("`command: publish` needs a token: leave `github-token` out");
  const runs = await runsNamed(inputs, cwd, job);
  const [first] = runs;
  const here = { ...site, pull };
  const workflow = first.standing.summary.workflow;
  const plan = planOf({ inputs, site: here, job }, { workflow, defaultBranch });
  if (plan === undefined) return unfit(endingOf(first.standing));
  // Red work is worth a draft of its own; mixed with what is done nobody could tell it apart.
  const isOneOfMany = (inputs["run-id"] ?? "").includes(" ");
  const worth = runs.filter(({ standing }) =>
    isOneOfMany ? standing.summary.conclusion === "success" : isWorth(endingOf(standing), plan),
  );
  const left = runs.length > 1 ? runs.filter((run) => !worth.includes(run)) : [];
  const withWork = worth.filter(({ standing }) => standing.work !== undefined);
  const [one, ...others] = withWork;
  if (worth.length === 0) return unfit(endingOf(first.standing));
  if (one === undefined) return leaving(unchanged(endingOf(first.standing), inputs["if-no-changes"]), left);
  const work = await bringAll({ cwd, job }, one, others);
  const remote = await branchesOf({ site: here, job, cwd }, inputs["push-token"] ?? inputs["github-token"]);
  const published = await publishWork(work, { inputs, site: here, github, job, plan, remote, restored: [] });
  const ending = endingOf(one.standing);
  const ended =
    published === undefined ? unchanged(ending, inputs["if-no-changes"]) : shown(ending, published);
  return leaving(ended, left);
}

interface Named {
  readonly run: string;
  readonly keeping: Keeping;
  readonly standing: Standing;
}

/** Every run that `run-id` names; a run of many that was never begun is told as one that came to nothing. */
async function runsNamed(inputs: Inputs, cwd: string, job: Job): Promise<readonly [Named, ...Named[]]> {
  const found: Named[] = [];
  const names = [...new Set((inputs["run-id"] ?? "").split(" "))];
  for (const run of names) {
    const keeping = await openKeeping({ run, cwd, inputs }, job);
    try {
      found.push({ run, keeping, standing: await standingOf(run, keeping) });
    } catch (error) {
      if (names.length === 1 || !(error instanceof RefusedError)) throw error;
      job.log.annotate({ level: "warning", title: "until-green: left out", message: error.message });
    }
  }
  const [first, ...others] = found;
  if (first === undefined) throw new RefusedError("none of the runs that `run-id` names can be published");
  return [first, ...others];
}

/** The same ending, with the runs whose work is not in it. */
function leaving(ending: Ending, left: readonly Named[]): Ending {
  if (left.length === 0) return ending;
  const message = `left out, as they came to nothing that may be published: ${left.map(({ run }) => run).join(", ")}`;
  return {
    ...ending,
    page: `> [!WARNING]\n> ${message}.\n\n${ending.page}`,
    annotations: [...ending.annotations, { level: "warning", title: "until-green", message }],
  };
}

/** The work of several runs in the private repository of the first, which reads the objects of the others. */
async function bringAll(
  at: Pick<Wanted, "cwd" | "job">,
  one: Named,
  others: readonly Named[],
): Promise<Work> {
  const work = await bringWork({ ...at, ...one });
  const beside: { summary: Standing["summary"]; final: string }[] = [];
  for (const other of others) {
    const { base, gitDir, summary, final } = await bringWork({ ...at, ...other });
    if (base !== work.base)
      throw new RefusedError(
        `runs ${one.run} and ${other.run} began from different commits: check the same commit out in each job, as in \`ref: \${{ github.sha }}\``,
      );
    await appendFile(join(work.gitDir, "objects", "info", "alternates"), `${join(gitDir, "objects")}\n`);
    beside.push({ summary, final });
  }
  return { ...work, beside };
}

async function standingOf(run: string, { store, lasts }: Keeping): Promise<Standing> {
  const standing = readStanding(await store.standing?.(run));
  if (!lasts || standing === undefined)
    throw new RefusedError(
      `there is no run ${run} at this repository's host: check \`run-id\`, and that the job that ran it may write \`contents\``,
    );
  if (standing.summary.run !== run) throw new RefusedError(`the record of run ${run} is that of another run`);
  if (standing.summary.state === "running")
    throw new RefusedError(
      `run ${run} is still at work: publish it in a job that \`needs\` the one that runs it`,
    );
  return standing;
}

interface Wanted {
  readonly run: string;
  readonly cwd: string;
  readonly job: Job;
  readonly keeping: Keeping;
  readonly standing: Standing;
}

/** Brings the last snapshot of the run into a private repository of this job; the checkout stays as it is. */
async function bringWork({ run, cwd, job, keeping, standing }: Wanted): Promise<Work> {
  const { store, privateDir } = keeping;
  const { head } = await readBranches(cwd);
  const base = standing.origin?.checkout ?? standing.origin?.head ?? head;
  if (base === undefined || standing.work === undefined)
    throw new RefusedError(
      "there is nothing to publish from: check the repository out with actions/checkout",
    );
  const context = { runId: run, signal: new AbortController().signal, workspace: cwd };
  await gitWorkspace({ privateDir }).handle(
    { op: "snapshot", since: undefined, message: "before publishing" },
    context,
  );
  await store.work?.bring(run, standing.work, (fetch) => fetch());
  const withheld = await readWithheld(snapshotsOf(job, run), standing.work);
  if (withheld.length > 0)
    throw new RefusedError(
      `the work of run ${run} is not whole: a key or a token stood in ${withheld.slice(0, 5).join(", ")}, so nothing was published; take it out, and replace the key`,
    );
  return {
    summary: standing.summary,
    gitDir: snapshotsOf(job, run),
    base,
    iterations: [],
    final: standing.work,
  };
}

/** The run's own ending: work that is red stays so, whoever publishes it. */
function endingOf({ summary }: Standing): Ending {
  const conclusion = summary.state === "paused" ? "paused" : (summary.conclusion ?? "failure");
  return {
    conclusion,
    stopReason: summary.stopReason ?? "internal",
    page: page(summary),
    annotations: annotationsOf(conclusion, summary),
    summary,
    output: summary.output,
  };
}

function unfit(ending: Ending): Ending {
  const message = `nothing is published of a run that ended as ${ending.conclusion} (${ending.stopReason})`;
  return {
    ...ending,
    page: `> [!WARNING]\n> **Not published:** ${message}.\n\n${ending.page}`,
    annotations: [...ending.annotations, { level: "warning", title: "until-green", message }],
  };
}
