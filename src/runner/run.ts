import type { LogEvent, RunSettings } from "../engine/log-events.ts";
import type { RunSession } from "../engine/session.ts";
import { agentsOf } from "../plan/agents.ts";
import type { Plan } from "../plan/plan.ts";
import { interruption } from "../ports/clock.ts";
import { diskFault } from "../ports/disk-fault.ts";
import { appendEvents, type DrivenRun, rebaseAfterConflict, reloadRun } from "./append-events.ts";
import { createInFlightEffects } from "./in-flight.ts";
import { beginRun, type OpenRun, openRun } from "./open-run.ts";
import { redact } from "./redact.ts";
import { restoreWorkspace } from "./restore-workspace.ts";
import { type Postponed, usualPatienceMs } from "./retry-effect.ts";
import type { RunEnvironment } from "./run-environment.ts";

/** When to stop early: the run is saved as paused and can be resumed. */
export interface Limits {
  readonly timeLimit?: AbortSignal;
  /** How long provider errors are retried in this process, in milliseconds; default 30 minutes. */
  readonly patienceMs?: number;
}

/** The run has ended; there is nothing to resume. */
export class EndedRunError extends Error {
  override readonly name = "EndedRunError";
}

export interface ResumeOptions extends Limits {
  /** Throws the reason if the run must not be resumed; called once this process has locked the run. */
  readonly assertResumable?: ((session: RunSession) => void) | undefined;
}

/** Starts a run and drives it to its first pause or its end. */
export async function start(
  { plan, facts }: { readonly plan: Plan; readonly facts: RunSettings },
  environment: RunEnvironment,
  limits: Limits = {},
): Promise<RunSession> {
  // Check that every agent is available before anything is recorded or spent.
  const chosen = await openAgents(plan, { facts, environment });
  return await holding(environment, facts.run, async () => {
    const opened = await beginRun(environment, {
      type: "run.started",
      at: environment.clock.now(),
      v: 1,
      plan,
      facts: {
        ...facts,
        ...chosen,
        message: redact(facts.message, environment.secrets),
        inputs: redact(facts.inputs, environment.secrets),
      },
    });
    return await drive(opened, environment, limits);
  });
}

/** Resumes a run from its log; throws `RunLockedError` while another process drives it. */
export async function resume(
  runId: string,
  environment: RunEnvironment,
  { assertResumable, ...limits }: ResumeOptions = {},
): Promise<RunSession> {
  return await holding(environment, runId, async () => {
    const artifacts = await environment.store.artifacts(runId);
    const opened = await openRun(environment.store, runId, artifacts);
    const { closed, ended } = opened.session;
    // A kill may have prevented the write of the final event: write it now.
    if (closed || !ended) assertResumable?.(opened.session);
    if (closed) throw new EndedRunError(`run ${runId} has ended`);
    environment.clearOrphans(artifacts);
    const before = opened.session.take();
    environment.recall?.(before);
    await restoreWorkspace(environment, runId, opened.trail.commit);
    return await drive(opened, environment, { ...limits, resumedAt: before.length });
  });
}

/** Checks that all agents are available and returns the default agent for calls that name none. */
async function openAgents(
  plan: Plan,
  { facts, environment }: { readonly facts: RunSettings; readonly environment: RunEnvironment },
): Promise<Pick<RunSettings, "default_agent" | "default_judge">> {
  let chosen: string | undefined;
  for (const name of facts.agent === undefined ? agentsOf(plan) : [facts.agent]) {
    const agent = await environment.agent(name);
    if (name === undefined) chosen = agent.name;
  }
  if (chosen === undefined) return {};
  environment.notice?.(
    `no agent was named: ${chosen} is used, the first one that is installed and has a key or a login`,
  );
  // A model set by the user applies to the working agent only.
  const judge = (facts.model ?? plan.model) === undefined ? environment.judge?.()?.name : undefined;
  return { default_agent: chosen, ...(judge === undefined ? {} : { default_judge: judge }) };
}

async function holding<T>(environment: RunEnvironment, runId: string, work: () => Promise<T>): Promise<T> {
  const release = await environment.store.hold(runId);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // Errors while releasing the run follow from the first one, which is reported.
    await release().catch(() => undefined);
    throw diskFault(error) ?? error;
  }
  await release();
  return result;
}

/** How often a running run checks for events appended by others: a cancellation must not wait for the agent. */
const pollMs = 1_000;

async function drive(
  opened: OpenRun,
  environment: RunEnvironment,
  limits: Limits & { readonly resumedAt?: number },
): Promise<RunSession> {
  const { timeLimit, resumedAt } = limits;
  const { facts, plan } = opened.session;
  const artifacts = await environment.store.artifacts(facts.run);
  const patienceMs = limits.patienceMs ?? plan.patienceMs ?? usualPatienceMs;
  const runProcess = startRunProcess(opened, environment, { artifacts, emitted: resumedAt ?? 0, patienceMs });
  const stopPolling = environment.clock.every(pollMs, runProcess.wake);
  const onLimit = () => runProcess.wake();
  timeLimit?.addEventListener("abort", onLimit);
  try {
    const resumed = { type: "run.resumed", at: environment.clock.now(), by: environment.owner } as const;
    await runProcess.record(resumedAt === undefined ? [] : [resumed]);
    await driveToEnd(runProcess, timeLimit);
    return runProcess.session;
  } finally {
    stopPolling();
    timeLimit?.removeEventListener("abort", onLimit);
    await runProcess.abandon();
  }
}

function whyPaused({ postponed, session, isPauseDue }: RunProcess, timeLimit: AbortSignal | undefined) {
  const isAtGate = !timeLimit?.aborted && !isPauseDue && postponed === undefined;
  // Whatever else pauses a run that a person wants paused: nothing resumes it but a person.
  if (session.isAskedToPause && !isAtGate) return { stop_reason: "requested" } as const;
  if (timeLimit?.aborted) {
    const how = timeLimit.reason === interruption ? ({ interrupted: true } as const) : {};
    return { stop_reason: "time-limit", ...how } as const;
  }
  if (postponed === undefined) return { stop_reason: "gate" } as const;
  return { stop_reason: postponed.reason, wake_at: postponed.wakeAt } as const;
}

async function driveToEnd(runProcess: RunProcess, timeLimit: AbortSignal | undefined): Promise<void> {
  while (!runProcess.session.ended && !runProcess.session.paused) {
    if (timeLimit?.aborted || runProcess.isPauseDue || !runProcess.busy) {
      await runProcess.pause(whyPaused(runProcess, timeLimit));
      continue;
    }
    const events = await runProcess.next();
    if (events.length > 0) await runProcess.record(events);
    else await runProcess.look();
  }
}

/** One process's part of a run: effects in flight, their results, the log. */
interface RunProcess {
  readonly session: RunSession;
  readonly busy: boolean;
  /** True if a person asked for a pause and the next iteration has been reached. */
  readonly isPauseDue: boolean;
  /** Appends events, emits the run events that follow, and starts the effects they open. */
  record(events: readonly LogEvent[]): Promise<void>;
  /** Stops everything in flight and pauses the run, unless others wrote first: then there may be more to do. */
  pause(
    why: Pick<Extract<LogEvent, { type: "run.paused" }>, "stop_reason" | "wake_at" | "interrupted">,
  ): Promise<void>;
  /** The effect that waits for another process. */
  readonly postponed: Postponed | undefined;
  /** Reads what others have appended. */
  look(): Promise<void>;
  /** Returns the events that have arrived, or waits for the first one; empty after a wake-up. */
  next(): Promise<readonly LogEvent[]>;
  wake(): void;
  /** Stops everything in flight, and waits until it has stopped. */
  abandon(): Promise<void>;
}

interface ProcessOptions {
  readonly artifacts: string;
  /** The number of the last event emitted by earlier processes. */
  readonly emitted: number;
  /** How long an effect is retried while a provider has errors, in milliseconds. */
  readonly patienceMs: number;
}

function startRunProcess(
  run: OpenRun,
  environment: RunEnvironment,
  { artifacts, emitted, patienceMs }: ProcessOptions,
): RunProcess {
  const runId = run.session.facts.run;
  const inFlight = createInFlightEffects(environment, { artifacts, patienceMs });
  const driven: DrivenRun = { environment, runId, artifacts, inFlight, run, emitted, isPauseDue: false };
  return {
    get session() {
      return driven.run.session;
    },
    get busy() {
      return inFlight.busy;
    },
    get isPauseDue() {
      return driven.isPauseDue;
    },
    get postponed() {
      return inFlight.postponed;
    },
    record: (events) => appendEvents(driven, events),
    async pause(why) {
      const late = await inFlight.stop();
      await appendEvents(driven, [...late, { type: "run.paused", at: environment.clock.now(), ...why }]);
    },
    async look() {
      try {
        if ((await environment.store.read(runId, driven.run.lines)).length === 0) return;
      } catch (error) {
        return await rebaseAfterConflict(driven, error, []);
      }
      await reloadRun(driven);
      await appendEvents(driven, []);
    },
    next: inFlight.next,
    wake: inFlight.wake,
    abandon: async () => void (await inFlight.stop()),
  };
}
