import {
  conversationOf,
  decide,
  EmptyLogError,
  parseLogEvent,
  parseRunStatus,
  type RunSession,
  type RunStarted,
  type RunStatus,
  resume,
  runViewOf,
  type StatusJob,
} from "../../src/api/runs.ts";
import { agentsOf } from "../../src/api/workflows.ts";
import { openGitHubLifecycle } from "../github/github-lifecycle.ts";
import { hostOf } from "../github/host.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { statusJob } from "../job/run-origin.ts";
import { annotation } from "../job/workflow-commands.ts";
import { lost, type StepResult } from "../result/step-result.ts";
import { whyRolledBack } from "../run/detect-rollback.ts";
import { type OpenedStore, openRunStore, statusOf } from "../run/open-store.ts";
import { runInJob } from "../run/run-in-job.ts";
import { verifyingStore } from "../run/verified-store.ts";

/**
 * `command: resume`: resumes a run in this job, wherever it ran before, updates its status and publishes its work.
 */
export async function resumeRun(runId: string, inputs: Inputs, job: Job): Promise<StepResult> {
  const top = job.within(inputs["working-directory"] ?? ".");
  const keeping = await openRunStore({ run: runId, cwd: top, inputs }, job);
  if (keeping.lines.length === 0) throw unknown(runId, keeping);
  // The event of this job may not name the run's pull request.
  const { plan, facts } = startOf(keeping.lines);
  const resumed = { run: runId, origin: facts.origin, series: facts.series, plan };
  const hosting = await openGitHubLifecycle({ inputs, cwd: top, resumed }, job);
  return await hosting.finish(await continueRun({ runId, inputs, top, keeping }, { ...job, hosting }));
}

interface Resumed {
  readonly runId: string;
  readonly inputs: Inputs;
  /** The working directory of this job. */
  readonly top: string;
  readonly keeping: OpenedStore;
}

async function continueRun({ runId, inputs, top, keeping }: Resumed, job: Job): Promise<StepResult> {
  const host = hostOf(job, inputs);
  const { plan, facts } = startOf(keeping.lines);
  const before = parseRunStatus(await keeping.store.status?.(runId));
  const driver = driverOf(before, job);
  if (driver !== undefined && (await host.isAlive?.(driver)))
    return lost(runId, new Error(`workflow run ${driver.run} works on run ${runId} and is still running`));
  if (driver !== undefined) sayCutOff(driver, job);
  const named = { run: runId, workflow: plan.name };
  const shown = { ...named, store: keeping.store, before, inputs, site: job.hosting?.site };
  const rolledBack = keeping.store.mark?.(runId) === undefined ? undefined : await whyRolledBack(shown);
  if (rolledBack !== undefined) throw new RefusedError(`run ${runId} was not resumed: ${rolledBack}`);
  const recorded = { ...named, pull: conversationOf(facts.origin), lines: keeping.lines };
  const store = await verifyingStore(keeping.store, host, recorded);
  const taken = isOver(before)
    ? undefined
    : await job.hosting?.claimAgain?.({
        run: runId,
        statusOf: async (other) => await statusOf(other, { cwd: top, inputs }, job),
      });
  if (taken !== undefined) return lost(runId, new Error(taken));
  const folder = facts.origin?.folder;
  const cwd = top === job.workspace && folder !== undefined ? job.within(folder) : top;
  return await runInJob(
    {
      run: runId,
      inputs,
      cwd,
      keeping: { ...keeping, store },
      before,
      agents: facts.agent === undefined ? agentsOf(plan) : [facts.agent],
      async drive(environment, limits) {
        // Started before the requests to the host, because the first agent starts right after them.
        void environment.isolation?.walls().catch(() => undefined);
        try {
          return await resume(runId, environment, { ...limits, assertResumable });
        } catch (error) {
          throw error instanceof EmptyLogError ? new RefusedError(error.message) : error;
        }
      },
    },
    job,
  );
}

function assertResumable(session: RunSession): void {
  const [at, since] = [new Date().toISOString(), Date.now()];
  const decision = decide(runViewOf(session), { kind: "resume", by: "until-green", at, since, text: "" });
  // A waiting gate is shown again.
  if ("refused" in decision && !decision.waits) throw new RefusedError(decision.because);
}

const isOver = (status: RunStatus | undefined) => status?.summary.state === "ended";

function unknown(runId: string, { lasts, store }: OpenedStore): RefusedError {
  const gone = store.whyGone?.(runId);
  if (gone !== undefined) return new RefusedError(gone);
  const where = lasts ? "at this repository's host" : "on this runner";
  return new RefusedError(
    `there is no run ${runId} ${where}: check \`run-id\`. A run that its job could not save is lost. If the ref of the run was deleted, a machine that worked on the run can restore it: \`until-green status ${runId} --store git\` there says how`,
  );
}

/** The job that drove a run last, if the run neither paused nor ended. */
function driverOf(status: RunStatus | undefined, job: Job): StatusJob | undefined {
  const driver = status?.summary.state === "running" ? status.job : undefined;
  const ownJob = statusJob(job);
  return driver?.run === ownJob?.run && driver?.attempt === ownJob?.attempt ? undefined : driver;
}

/** Whatever a lost machine had not pushed is gone. */
function sayCutOff(driver: StatusJob, job: Job): void {
  const message = `workflow run ${driver.run} ended in the middle of this run without reporting: its last seconds of work may be repeated`;
  job.log.annotate(annotation("notice", message));
}

/** The first event of a run; throws the reason if it cannot be read. */
function startOf([first = ""]: readonly string[]): RunStarted {
  const event = parseLogEvent(first);
  if (event.type === "run.started") return event;
  throw new RefusedError("the record of this run does not begin with `run.started`: it cannot be resumed");
}
