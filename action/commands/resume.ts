import {
  agentsOf,
  EmptyLogError,
  EndedRunError,
  type RunStarted,
  readEvent,
  readStanding,
  resume,
  type Standing,
  type StandingJob,
} from "../../src/index.ts";
import { conduct } from "../drive/conduct.ts";
import { type Keeping, openKeeping } from "../drive/keeping.ts";
import { provenStore } from "../drive/proven-store.ts";
import { type Ending, lost } from "../ending/ending.ts";
import { hostOf } from "../hosting/asking.ts";
import { openHosting } from "../hosting/hosting.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { standingJob } from "../job/origin.ts";

/** `command: resume`: goes on with a run in this job, wherever it was before, shows it and publishes its work. */
export async function resumeRun(runId: string, inputs: Inputs, job: Job): Promise<Ending> {
  const top = job.within(inputs["working-directory"] ?? ".");
  const keeping = await openKeeping({ run: runId, cwd: top, inputs }, job);
  if (keeping.lines.length === 0) throw unknown(runId, keeping);
  // The event that woke this job may say nothing of the pull request that the run is about.
  const { facts } = startOf(keeping.lines);
  const hosting = await openHosting({ inputs, cwd: top, begun: facts.origin }, job);
  return await hosting.finish(await goOn({ runId, inputs, top, keeping }, { ...job, hosting }));
}

interface Stretch {
  readonly runId: string;
  readonly inputs: Inputs;
  /** The working directory of this job. */
  readonly top: string;
  readonly keeping: Keeping;
}

async function goOn({ runId, inputs, top, keeping }: Stretch, job: Job): Promise<Ending> {
  const host = hostOf(job, inputs);
  const { plan, facts } = startOf(keeping.lines);
  const before = readStanding(await keeping.store.standing?.(runId));
  const driver = driverOf(before, job);
  if (driver !== undefined && (await host.isAlive?.(driver)))
    return lost(
      runId,
      new Error(`run ${runId} is driven by workflow run ${driver.run}, which is still at work`),
    );
  if (driver !== undefined) sayCutOff(driver, job);
  const about = { run: runId, workflow: plan.name, pull: facts.origin?.pull };
  const store = await provenStore(keeping.store, host, { ...about, lines: keeping.lines });
  const folder = facts.origin?.folder;
  const cwd = top === job.workspace && folder !== undefined ? job.within(folder) : top;
  const drive = async (...[world, limits]: Parameters<Parameters<typeof conduct>[0]["drive"]>) => {
    try {
      return await resume(runId, world, limits);
    } catch (error) {
      if (error instanceof EndedRunError || error instanceof EmptyLogError)
        throw new RefusedError(error.message);
      throw error;
    }
  };
  return await conduct(
    {
      run: runId,
      inputs,
      cwd,
      keeping: { ...keeping, store },
      before,
      agents: facts.agent === undefined ? agentsOf(plan) : [facts.agent],
      drive,
    },
    job,
  );
}

function unknown(runId: string, { lasts }: Keeping): RefusedError {
  const where = lasts ? "at this repository's host" : "on this runner";
  return new RefusedError(
    `there is no run ${runId} ${where}: check \`run-id\`; a run that its job could not keep is gone with that job`,
  );
}

/** The job that drove a run last, where it left it neither at rest nor at its end. */
function driverOf(standing: Standing | undefined, job: Job): StandingJob | undefined {
  const driver = standing?.summary.state === "running" ? standing.job : undefined;
  const mine = standingJob(job);
  return driver?.run === mine?.run && driver?.attempt === mine?.attempt ? undefined : driver;
}

/** A machine that is gone took with it what it had not pushed yet. */
function sayCutOff(driver: StandingJob, job: Job): void {
  const message =
    `workflow run ${driver.run} ended in the middle of this run, without a word: ` +
    "what it did in its last seconds may be done once more";
  job.log.annotate({ level: "notice", title: "until-green", message });
}

/** The first event of a run; throws what says why it cannot be read. */
function startOf([first = ""]: readonly string[]): RunStarted {
  const event = readEvent(first);
  if (event.type === "run.started") return event;
  throw new RefusedError("the record of this run does not begin with its start: it cannot go on");
}
