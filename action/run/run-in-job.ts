import { resolve } from "node:path";
import { hideCheckoutKeys, keepGitSettings } from "../../src/api/publishing.ts";
import {
  defined,
  endSignal,
  killLeftovers,
  type Limits,
  listenForStop,
  preloadChunks,
  type RunEnvironment,
  RunLockedError,
  type RunSession,
  type RunStatus,
  RunTakenOverError,
  refuseWithout,
  StaleLogError,
  traceRun,
  watchPrograms,
} from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";
import { annotation, few } from "../job/workflow-commands.ts";
import { lost, runEnding, type StepResult } from "../result/step-result.ts";
import { continueLater } from "./dispatch-continuation.ts";
import { installAgents } from "./install-agents.ts";
import { type OpenedStore, runsOf } from "./open-store.ts";
import { createProgressLog } from "./progress-log.ts";
import { refuseJobToken } from "./refuse-job-token.ts";
import { openRunEnvironment } from "./run-environment.ts";

interface Drive {
  readonly run: string;
  readonly inputs: Inputs;
  readonly cwd: string;
  readonly keeping: OpenedStore;
  /** The agents it needs, by name; `undefined` is the default one. */
  readonly agents: Iterable<string | undefined>;
  /** The commit with the work of earlier runs that is in the checkout. */
  readonly continued?: string | undefined;
  /** The status at the start of this job. */
  readonly before?: RunStatus | undefined;
  /** Starts the run, or resumes it. */
  drive(environment: RunEnvironment, limits: Limits): Promise<RunSession>;
}

/** Drives a run in this job; throws only errors from before its first event. */
export async function runInJob(
  { run, inputs, cwd, keeping, agents: names, continued, before, drive }: Drive,
  job: Job,
): Promise<StepResult> {
  await refuseJobToken(inputs, job);
  if (job.env["GITHUB_ACTOR"] === "dependabot[bot]")
    (await import("./warn-without-secrets.ts")).warnWithoutSecrets(names, inputs, job);
  await preloadChunks();
  const { agents, keys } = await installAgents(names, inputs, job);
  const progress = createProgressLog(job, before);
  const trace = await traceIn(inputs, job);
  const own = openRunEnvironment(job, {
    cwd,
    keeping,
    keys: { ...keys, ...(inputs.prices && { UNTIL_GREEN_PRICES: resolve(cwd, inputs.prices) }) },
    progress: { ...progress, ...both(trace, progress) },
    agents,
    leaveOut: leaveOutOf(inputs, keeping),
    isolation: inputs.isolation,
    network: inputs.network,
    show: inputs.show,
    write: inputs.write,
  });
  if (inputs.isolation === "required") refuseWithout(await own.isolation.walls());
  const environment = job.hosting?.watch(own) ?? own;
  if (before === undefined) await sayChangedBefore({ run, cwd, continued }, own, job);
  const keysOfCheckout = keeping.repository && (await hideKeys(cwd, job));
  const restoreSettings = keeping.repository && keepSettings(cwd, job);
  const changedPrograms = watchPrograms(job.env);
  const limit = listenForStop(inputs["max-minutes"] ?? usualMinutes);
  const limits = { timeLimit: limit.signal, ...defined({ patienceMs: inputs.patience }) };
  let fault: unknown;
  try {
    await job.log.undisturbed(() => drive(environment, limits));
  } catch (error) {
    fault = error;
  }
  progress.end();
  limit.disarm();
  await trace.end();
  // Processes of another job on this machine must not be killed.
  const walls = await own.isolation.walls();
  // Behind the walls nothing outlives its program.
  const isWalled = walls.some(({ name, on }) => name === "processes" && on);
  const disturbed = !isWalled && !isLost(fault) && (await killRemaining(run, keeping, job));
  restoreSettings?.();
  keysOfCheckout?.putBack();
  if (isLost(fault)) return lost(run, fault);
  if (fault !== undefined && progress.emitted === 0) throw fault;
  sayPrograms(changedPrograms(), job);
  const ran = { summary: { ...progress.summary, run }, output: progress.output, cwd, fault };
  const stateRef = keeping.lasts ? keeping.store.where?.(run) : undefined;
  const later = limit.requested ? [] : await continueLater({ ...ran, keeping, inputs }, job);
  const where = { runs: runsOf(job), stateRef, file: keeping.file, site: job.hosting?.site };
  const ending = runEnding({ ...ran, ...where, more: later, walls });
  return { ...ending, disturbed };
}

/** What earlier steps changed is part of the work, although no iteration will list it. */
async function sayChangedBefore(
  { run, cwd, continued }: Pick<Drive, "run" | "cwd" | "continued">,
  { gitWorkspace }: RunEnvironment,
  job: Job,
): Promise<void> {
  const context = { runId: run, workspace: cwd, signal: endSignal };
  const ask = { op: "snapshot", since: continued, message: "before the run" } as const;
  // If this fails, the run reports it.
  const { diff } = (await gitWorkspace?.handle(ask, context).catch(() => undefined)) ?? {};
  if (diff === undefined || diff.files === 0) return;
  const files = diff.files === 1 ? "1 file" : `${diff.files} files`;
  const message = `changed before the run and part of its work, ${files}: ${job.withoutSecrets(few(diff.paths))}`;
  job.log.annotate(annotation("notice", message));
}

/** The input overrides the variables of the step. */
const traceIn = ({ "otlp-endpoint": endpoint }: Inputs, { env, log, withoutSecrets }: Job) =>
  traceRun({
    environment:
      endpoint === undefined
        ? env
        : { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: undefined },
    clean: withoutSecrets,
    notice: (message) => log.annotate(annotation("warning", message)),
  });

type Observers = Pick<Required<RunEnvironment>, "recall" | "emit">;

const both = (one: Observers, other: Observers): Observers => ({
  recall(events) {
    one.recall(events);
    other.recall(events);
  },
  emit(event) {
    one.emit(event);
    other.emit(event);
  },
});

function sayPrograms(changed: readonly string[], job: Job): void {
  const message = `programs that checks may have run are new or changed since the run started: ${few(changed)}`;
  if (changed.length > 0) job.log.annotate(annotation("notice", message));
}

/** Kills processes that the run left running, and reports them; returns whether there were any. */
async function killRemaining(run: string, { store }: OpenedStore, job: Job): Promise<boolean> {
  try {
    const left = killLeftovers({
      artifacts: await store.artifacts(run),
      folders: [job.workspace, job.folder],
    });
    const message = `still running when the run ended or paused, and killed: ${job.withoutSecrets(few(left))}`;
    if (left.length > 0) job.log.annotate(annotation("warning", message));
    return left.length > 0;
  } catch {
    // If the run's folder cannot be reached, its result says so.
    return false;
  }
}

/** With the credentials stored by `actions/checkout`, any program in the checkout could act as the job. */
async function hideKeys(cwd: string, job: Job) {
  if (job.env["UNTIL_GREEN_TRUST_CHECKOUT"] === "1") return undefined;
  const hidden = await hideCheckoutKeys(cwd);
  if (hidden.files.length > 0) job.log.annotate(annotation("notice", keptKey));
  return hidden;
}

/** Programs of the next step would execute or follow settings and hooks left by a run, with that step's tokens. */
function keepSettings(cwd: string, job: Job) {
  if (job.env["UNTIL_GREEN_TRUST_CHECKOUT"] === "1") return undefined;
  const { restore } = keepGitSettings(cwd, job.env["HOME"]);
  // Before the keys are restored.
  process.prependOnceListener("exit", restore);
  return () => {
    process.removeListener("exit", restore);
    const changed = restore();
    const message = `the run changed settings or hooks (${few(changed)}), which were restored, because later steps would obey them`;
    if (changed.length > 0) job.log.annotate(annotation("warning", message));
  };
}

const keptKey =
  "the checkout stores the job's token, with which an agent could push; it is removed from git's settings while the run " +
  "is active. Set `persist-credentials: false` on actions/checkout, or set UNTIL_GREEN_TRUST_CHECKOUT to 1 for checks that need it";

/**
 * A job's token cannot push workflow files, and a push with them fails completely; a token that can is provided by
 * the user.
 */
function leaveOutOf(
  { "allow-workflow-files": allowed, "push-token": token }: Inputs,
  { lasts }: OpenedStore,
) {
  return lasts && !(allowed && token !== undefined) ? [".github/workflows"] : [];
}

/** Less than a job's six-hour limit: the end of the run, and a check in flight, also take time. */
const usualMinutes = 330;

const isLost = (error: unknown): error is Error =>
  error instanceof RunTakenOverError || error instanceof RunLockedError || error instanceof StaleLogError;
