import { gitWorkspace, page, readBranches, readStanding, type Standing } from "../src/index.ts";
import type { Ending } from "./ending.ts";
import { openClient, planOf } from "./hosting.ts";
import type { Inputs } from "./inputs.ts";
import { type Job, RefusedError } from "./job.ts";
import { type Keeping, openKeeping } from "./keeping.ts";
import { branchesOf, snapshotsOf } from "./place.ts";
import { prepareGround, refuseFork } from "./preflight.ts";
import { publishWork, type Work } from "./publish.ts";
import { shown, unchanged } from "./publish-ending.ts";
import { readSite } from "./site.ts";

/** `command: publish`: publishes what a run of another job has done; runs no agent, and no code of the repository. */
export async function publishRun(given: Inputs, cwd: string, job: Job): Promise<Ending> {
  const inputs: Inputs = { ...given, publish: given.publish === "none" ? "branch" : given.publish };
  const run = inputs["run-id"] ?? "";
  const site = readSite(job.env);
  if (site === undefined)
    throw new RefusedError("`command: publish` publishes on GitHub: run it in a job there");
  refuseFork(site, site.fork);
  const github = await openClient(inputs, site);
  const { defaultBranch, pull } = await prepareGround(inputs, site, github);
  if (github === undefined)
    throw new RefusedError("`command: publish` needs a token: leave `github-token` out");
  const keeping = await openKeeping({ run, cwd, inputs }, job);
  const standing = await standingOf(run, keeping);
  const here = { ...site, pull };
  const plan = planOf({ inputs, site: here, job }, { workflow: standing.summary.workflow, defaultBranch });
  const ending = endingOf(standing);
  if (plan === undefined || standing.work === undefined) return unchanged(ending, inputs["if-no-changes"]);
  const work = await bringWork({ run, cwd, job, keeping, standing });
  const remote = await branchesOf({ site: here, job, cwd }, inputs["push-token"] ?? inputs["github-token"]);
  const setting = { inputs, site: here, github, job, plan, remote, restored: [] };
  const published = await publishWork(work, setting);
  return published === undefined ? unchanged(ending, inputs["if-no-changes"]) : shown(ending, published);
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
  return {
    summary: standing.summary,
    gitDir: snapshotsOf(job, run),
    base,
    iterations: [],
    final: standing.work,
  };
}

const endingOf = ({ summary }: Standing): Ending => ({
  conclusion: "success",
  stopReason: summary.stopReason ?? "completed",
  page: page(summary),
  annotations: [],
  summary,
  output: summary.output,
});
