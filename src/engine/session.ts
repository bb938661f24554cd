import type { Budget, Plan } from "../plan/plan.ts";
import {
  createRunState,
  type GateDecision,
  gateAt,
  logEventHandlers,
  type RunState,
} from "./apply-log-event.ts";
import { isCommandEvent } from "./command-events.ts";
import type { LogEvent, RunSettings, RunStarted } from "./log-events.ts";
import type { Effect } from "./operation.ts";
import { cutOffNotice } from "./run-event-emitter.ts";
import type { Gate, RunEvent } from "./run-events.ts";
import { exhaustedBudget, minBudget, type QueuedMessage, type RunTotals } from "./run-totals.ts";

/** A gate that waits for a person. */
export interface OpenGate extends Gate {
  /** The path of its effect, attempts included. */
  readonly need: string;
  /** When it opened, in ISO 8601. */
  readonly since: string;
}

/** A run in this process. It applies log events one by one, and exposes open effects and new run events. */
export interface RunSession {
  readonly plan: Plan;
  readonly facts: RunSettings;
  readonly totals: RunTotals;
  /** Open effects by path, in the order they arose. */
  readonly effects: ReadonlyMap<string, Effect>;
  /** True once the run has ended; no event can be applied then. */
  readonly ended: boolean;
  /** The event that closes the log of a run that has ended. */
  readonly end: Omit<Extract<LogEvent, { type: "run.ended" }>, "at"> | undefined;
  /** Who cancelled it and why, as text; `undefined` if it was not cancelled. */
  readonly cancelled: string | undefined;
  /** True if the log already contains that event. */
  readonly closed: boolean;
  /** True if the run was paused and has not been resumed since. */
  readonly paused: boolean;
  /** True if a person has asked the run to pause and it has not yet. */
  readonly isAskedToPause: boolean;
  /** True if the effect was started since the run last started or resumed. */
  hasStarted(path: string): boolean;
  gates(): readonly OpenGate[];
  /** The messages for the node of an open effect, oldest first. */
  inbox(path: string): readonly QueuedMessage[];
  /** The run's budget: each limit is the lower of those set by its file and by the person who started it. */
  readonly budget: Budget;
  /** Why the budget is exhausted, as text. */
  usedUp(): string | undefined;
  /** Who decided each gate, by the gate's path. */
  readonly decided: ReadonlyMap<string, GateDecision>;
  /** Applies one event, at constant cost regardless of the log's length. Throws `LogMismatchError`. */
  apply(event: LogEvent): void;
  /** The run events since the last call, in order. */
  take(): readonly RunEvent[];
}

/** Starts a session from a run's first event. */
export function startSession(started: RunStarted): RunSession {
  const state = createRunState(started);
  const { plan, facts, totals, effects, started: startedPaths, decided, emitter } = state;
  applyTo(state, started);
  const budget = () => minBudget(plan.budget, totals.limits);
  return {
    plan,
    get budget() {
      return budget();
    },
    facts,
    totals,
    effects,
    get ended() {
      return emitter.ending !== undefined;
    },
    get end() {
      return emitter.ending;
    },
    get cancelled() {
      return state.cancelled;
    },
    get closed() {
      return state.closed;
    },
    get paused() {
      return state.paused;
    },
    get isAskedToPause() {
      return state.pauseRequest !== undefined;
    },
    hasStarted: (path) => startedPaths.has(path),
    gates: () => gatesOf(state),
    inbox(path) {
      const effect = effects.get(path);
      const works = effect?.port === "agent" && effect.ask.role === "worker";
      return works ? totals.waiting(emitter.namesOf(effect)) : [];
    },
    usedUp: () => exhaustedBudget(budget(), totals),
    decided,
    apply: (event) => applyTo(state, event),
    take: () => emitter.take(),
  };
}

function applyTo(state: RunState, event: LogEvent): void {
  if (state.emitter.ending !== undefined) {
    state.closed ||= event.type === "run.ended";
    return;
  }
  state.emitter.now = event.at;
  // While a run is paused, time does not count.
  const resumes = event.type === "run.resumed";
  const isCutOff = resumes && !state.paused && state.started.size === 0 && isAtWork(state);
  // Decisions carry timestamps of other machines, which do not measure the active time of this run.
  if (!isCommandEvent(event)) state.totals.tick(event.at, state.paused || resumes);
  state.paused = rests.has(event.type) || (state.paused && !resumes);
  logEventHandlers[event.type](event as never, state);
  if (isCutOff) state.emitter.emit(cutOffNotice);
}

const rests: ReadonlySet<LogEvent["type"]> = new Set(["run.paused", "run.extended"]);

/** True if an effect that does not need a person is open. */
const isAtWork = ({ effects }: RunState) => [...effects.values()].some(({ port }) => port !== "human");

const gatesOf = ({ effects, opened }: RunState): readonly OpenGate[] =>
  [...effects.values()].flatMap((effect) =>
    effect.port === "human"
      ? [{ ...gateAt(effect), need: effect.path, since: opened.get(effect.path) ?? "" }]
      : [],
  );
