import { gitWorkspace, readBranches, readStanding, readWithheld, type Standing } from "../../src/index.ts";
import { type Keeping, openKeeping } from "../drive/keeping.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { snapshotsOf } from "../publish/place.ts";
import type { Work } from "../publish/publish.ts";

/** A run of another job, as its record tells. */
export interface KeptRun {
  readonly run: string;
  readonly keeping: Keeping;
  readonly standing: Standing;
}

interface Wanted {
  readonly run: string;
  readonly cwd: string;
  readonly inputs: Inputs;
}

/** Finds a run that is at rest; throws `RefusedError` where there is none. */
export async function findKept(wanted: Wanted, job: Job): Promise<KeptRun> {
  const { run } = wanted;
  const keeping = await openKeeping(wanted, job);
  const standing = readStanding(await keeping.store.standing?.(run));
  if (!keeping.lasts || standing === undefined)
    throw new RefusedError(
      `there is no run ${run} at this repository's host: check \`run-id\`, and that the job that ran it may write \`contents\``,
    );
  if (standing.summary.run !== run) throw new RefusedError(`the record of run ${run} is that of another run`);
  if (standing.summary.state === "running")
    throw new RefusedError(
      `run ${run} is still at work: publish it in a job that \`needs\` the one that runs it`,
    );
  return { run, keeping, standing };
}

/** Brings the last snapshot of a run into a private repository of this job; the checkout stays as it is. */
export async function bringWork(
  { run, keeping, standing }: KeptRun,
  { cwd, job }: { readonly cwd: string; readonly job: Job },
): Promise<Work> {
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
      `the work of run ${run} is not whole: a key or a token stood in ${withheld.slice(0, 5).join(", ")}, so nothing of it is published; take it out, and replace the key`,
    );
  return {
    summary: standing.summary,
    gitDir: snapshotsOf(job, run),
    base,
    iterations: [],
    final: standing.work,
  };
}
