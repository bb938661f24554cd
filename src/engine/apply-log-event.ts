import type { Plan } from "../plan/plan.ts";
import { transientFaults } from "../ports/agent.ts";
import { type LogEvent, LogMismatchError, type RunSettings, type RunStarted } from "./log-events.ts";
import { runPlan } from "./nodes/index.ts";
import { type Effect, EffectFailedError } from "./operation.ts";
import { withoutAttempt } from "./path.ts";
import { createRunEventEmitter, type RunEventEmitter } from "./run-event-emitter.ts";
import type { Gate } from "./run-events.ts";
import { createRunTotals, type MutableRunTotals } from "./run-totals.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";

/** The mutable state of a run session. */
export interface RunState {
  readonly plan: Plan;
  readonly facts: RunSettings;
  readonly totals: MutableRunTotals;
  readonly emitter: RunEventEmitter;
  readonly scheduler: Scheduler;
  readonly effects: Map<string, Effect>;
  /** When each gate opened, in ISO 8601. */
  readonly opened: Map<string, string>;
  /** Effects started since the run last started or resumed, and those that a kill interrupted before that. */
  readonly started: Set<string>;
  readonly interrupted: Set<string>;
  readonly decided: Map<string, GateDecision>;
  /** How often each open effect was started, if more than once. */
  readonly attempts: Map<string, number>;
  /** True between a pause and the next resume. */
  paused: boolean;
  /** Who asked the run to pause, and why, until it does. */
  pauseRequest: string | undefined;
  /** True once the log holds the end of the run. */
  closed: boolean;
  /** Who cancelled the run, and why. */
  cancelled: string | undefined;
}

export function createRunState({ plan, facts }: RunStarted): RunState {
  const totals = createRunTotals(facts.limits);
  const emitter = createRunEventEmitter({ plan, facts, totals });
  const effects = new Map<string, Effect>();
  const opened = new Map<string, string>();
  const scheduler = createScheduler({
    totals,
    emit: (event) => emitter.emit(event),
    open(effect) {
      if (effects.has(effect.path)) throw new LogMismatchError(`two needs at ${effect.path}`);
      effects.set(effect.path, effect);
      if (effect.port === "human") opened.set(effect.path, emitter.now);
    },
    end(outcome) {
      effects.clear();
      emitter.end(outcome);
    },
  });
  return {
    plan,
    facts,
    totals,
    emitter,
    scheduler,
    effects,
    opened,
    started: new Set(),
    interrupted: new Set(),
    decided: new Map(),
    attempts: new Map(),
    paused: false,
    pauseRequest: undefined,
    cancelled: undefined,
    closed: false,
  };
}

type LogEventHandler<T extends LogEvent["type"]> = (
  event: Extract<LogEvent, { type: T }>,
  state: RunState,
) => void;

/** A decision on a gate. A path may have had several gates. */
export interface GateDecision {
  readonly by: string;
  /** The path of the gate's effect. */
  readonly need: string;
  /** When it opened, in ISO 8601. */
  readonly since: string;
  /** The comment that carried the decision. */
  readonly comment: number | undefined;
}

/** The gate of an effect that waits for a person. */
export const gateAt = ({ path, ask: { message, question } }: Extract<Effect, { port: "human" }>): Gate => ({
  path: withoutAttempt(path),
  message,
  question,
});

/** What each event does to the state of a run. */
export const logEventHandlers: { readonly [T in LogEvent["type"]]: LogEventHandler<T> } = {
  "run.started"(_, { emitter, scheduler, plan, facts }) {
    emitter.begin();
    scheduler.begin(runPlan(plan, facts));
  },
  "run.resumed"(_, { emitter, started, interrupted, effects }) {
    for (const path of started) {
      const effect = effects.get(path);
      interrupted.add(path);
      if (effect !== undefined) effects.set(path, withRestartNote(effect));
    }
    started.clear();
    emitter.resume();
  },
  "run.paused"({ type, at, ...why }, state) {
    const { emitter, effects, started } = state;
    const isAsked = why.stop_reason === "requested";
    if (isAsked && state.pauseRequest !== undefined)
      emitter.emit({ type: "notice", code: "PAUSE_REQUESTED", message: state.pauseRequest });
    // If the time of this job is up at the same moment, the request is for the next one.
    if (isAsked || why.stop_reason === "gate") state.pauseRequest = undefined;
    // Only effects that a provider had refused were in progress: nothing was interrupted.
    if (why.wake_at !== undefined) started.clear();
    const gates = [...effects.values()].flatMap((effect) =>
      effect.port === "human" ? [gateAt(effect)] : [],
    );
    emitter.emit({ type: "run.paused", gates, ...why });
  },
  "run.decided"({ gate, decision, by, text, comment }, state) {
    const effect = state.effects.get(gate);
    if (effect?.port !== "human") return;
    const since = state.opened.get(gate) ?? "";
    settle(gate, state);
    // A gate may open again: the newest decision comes last.
    state.decided.delete(withoutAttempt(gate));
    state.decided.set(withoutAttempt(gate), { by, need: gate, since, comment: comment?.id });
    state.emitter.emit({ type: "gate.answered", path: gate, node: effect.ask.node, decision, by, text });
    const waitedMs = Date.parse(state.emitter.now) - Date.parse(since);
    state.scheduler.resume(gate, { value: { decision, by, text, waitedMs } });
  },
  "run.messaged": ({ to, from, text }, { emitter }) => emitter.send({ from, to, text }),
  "run.cancelled"({ because }, state) {
    state.cancelled = because;
    state.scheduler.stop({ status: "cancelled", because });
  },
  "run.pause-requested"({ by, text }, state) {
    state.pauseRequest = `${by} asked for this pause${text === "" ? "" : `: ${text}`}`;
  },
  // The plan already contains the added iterations: drop the earlier end of the run.
  "run.extended": (_, { emitter }) =>
    emitter.emit({ type: "run.paused", stop_reason: "time-limit", gates: [] }),
  "run.ended": () => undefined,
  "need.begun"({ path }, { effects, started, interrupted, emitter }) {
    const effect = effects.get(path);
    if (effect === undefined) throw new LogMismatchError(`the log begins ${path}, which is not open`);
    started.add(path);
    if (interrupted.has(path)) emitter.emitCutOff(path);
    emitter.emitAsked(effect);
  },
  "need.met"(event, state) {
    const effect = settle(event.path, state);
    if (effect.port !== event.port) {
      throw new LogMismatchError(
        `the log has a ${event.port} answer at ${event.path}, the plan a ${effect.port} need`,
      );
    }
    if (event.port === "budget") state.totals.allow(event.answer);
    if (event.port === "agent")
      state.emitter.emitAnswered(event.path, event.answer, state.emitter.namesOf(effect));
    state.scheduler.resume(event.path, { value: event.answer });
    if (event.port === "agent") state.scheduler.wake();
  },
  "need.failed"(event, state) {
    const { path, because, usage } = event;
    const fault = event.fault === undefined ? {} : { fault: event.fault };
    state.totals.spend(usage, event.tag);
    if (usage !== undefined) state.emitter.emit({ type: "agent.failed", path, because, ...fault, usage });
    // A failure without a class is a deliberate stop; the stop itself reports the reason.
    if (!event.final && event.fault === undefined) return;
    if (!event.final) {
      const attempt = (state.attempts.get(event.path) ?? 1) + 1;
      state.attempts.set(event.path, attempt);
      return state.emitter.emitRetried(event.path, { attempt, reason: event.because, ...fault });
    }
    settle(event.path, state);
    state.totals.reservations.settle(event.path, event.usage);
    state.scheduler.resume(event.path, { error: unmet(event) });
    state.scheduler.wake();
  },
};

/** Removes an effect that has its answer. */
function settle(path: string, { effects, started, interrupted, opened, attempts }: RunState): Effect {
  const effect = effects.get(path);
  if (effect === undefined) throw new LogMismatchError(`the log answers ${path}, which the plan never asked`);
  effects.delete(path);
  started.delete(path);
  interrupted.delete(path);
  opened.delete(path);
  attempts.delete(path);
  return effect;
}

function unmet({ because, fault }: Extract<LogEvent, { type: "need.failed" }>): EffectFailedError {
  if (fault === undefined) return new EffectFailedError("internal", because);
  const reason = fault === "idle" || fault === "timeout" ? fault : "agent-error";
  return new EffectFailedError(reason, because, transientFaults.has(fault));
}

const restartNote =
  "Note: an earlier attempt at this step was cut off before it could answer. " +
  "Its changes may already be in the workspace: look before you repeat anything.";

/** Tells an agent that an earlier attempt at this effect was cut off by a kill. */
function withRestartNote(effect: Effect): Effect {
  if (effect.port !== "agent" || effect.ask.role !== "worker" || effect.ask.prompt.startsWith(restartNote))
    return effect;
  return { ...effect, ask: { ...effect.ask, prompt: `${restartNote}\n\n${effect.ask.prompt}` } };
}
