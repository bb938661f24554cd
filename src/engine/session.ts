import type { Budget, Plan } from "../plan/plan.ts";
import { createRunState, type GateDecision, logEventHandlers, type RunState } from "./apply-log-event.ts";
import type { LogEvent, RunSettings, RunStarted } from "./log-events.ts";
import type { Effect } from "./operation.ts";
import { withoutAttempt } from "./path.ts";
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

/** A run in this process. It applies log events one by one and exposes open effects and new run events. */
export interface RunSession {
  readonly plan: Plan;
  readonly facts: RunSettings;
  readonly ledger: RunTotals;
  /** Open effects by path, in the order they arose. */
  readonly needs: ReadonlyMap<string, Effect>;
  /** True once the run has ended; no event can be applied then. */
  readonly ended: boolean;
  /** The event that closes the log of a run that has ended. */
  readonly end: Omit<Extract<LogEvent, { type: "run.ended" }>, "at"> | undefined;
  /** Who cancelled it and why, as text; `undefined` if it was not cancelled. */
  readonly cancelled: string | undefined;
  /** True if the log already contains that event. */
  readonly closed: boolean;
  /** True if the run was paused and has not been resumed since. */
  readonly resting: boolean;
  /** True if an effect was started since the run last started or resumed. */
  begun(path: string): boolean;
  gates(): readonly OpenGate[];
  /** The messages for the node of an open effect, oldest first. */
  inbox(path: string): readonly QueuedMessage[];
  /** What the run may spend: its file's budget and that of who began it, limit by limit the tighter. */
  readonly budget: Budget;
  /** Why the budget is exhausted, as text. */
  usedUp(): string | undefined;
  /** Who decided each gate, by the gate's path. */
  readonly decided: ReadonlyMap<string, GateDecision>;
  /** Applies one event, at constant cost regardless of the log's length. Throws `LogMismatchError`. */
  feed(event: LogEvent): void;
  /** The run events since the last call, in order. */
  take(): readonly RunEvent[];
}

/** Starts a session from a run's first event. */
export function startSession(started: RunStarted): RunSession {
  const state = createRunState(started);
  const { plan, facts, ledger, needs, begun, decided, story } = state;
  feedTo(state, started);
  const budget = () => minBudget(plan.budget, ledger.limits);
  return {
    plan,
    get budget() {
      return budget();
    },
    facts,
    ledger,
    needs,
    get ended() {
      return story.ending !== undefined;
    },
    get end() {
      return story.ending;
    },
    get cancelled() {
      return state.cancelled;
    },
    get closed() {
      return state.closed;
    },
    get resting() {
      return state.resting;
    },
    begun: (path) => begun.has(path),
    gates: () => gatesOf(state),
    inbox(path) {
      const need = needs.get(path);
      const works = need?.port === "agent" && need.ask.role === "worker";
      return works ? ledger.waiting(story.namesOf(need)) : [];
    },
    usedUp: () => exhaustedBudget(budget(), ledger),
    decided,
    feed: (event) => feedTo(state, event),
    take: () => story.take(),
  };
}

function feedTo(state: RunState, event: LogEvent): void {
  if (state.story.ending !== undefined) {
    state.closed ||= event.type === "run.ended";
    return;
  }
  state.story.now = event.at;
  // While a run is paused, time does not count.
  const resumes = event.type === "run.resumed";
  const isCutOff = resumes && !state.resting && state.begun.size === 0 && isAtWork(state);
  // Decisions carry the clocks of other machines, which say nothing about the active time of this run.
  if (!decidedElsewhere.has(event.type)) state.ledger.tick(event.at, state.resting || resumes);
  state.resting = rests.has(event.type) || (state.resting && !resumes);
  logEventHandlers[event.type](event as never, state);
  if (isCutOff) state.story.tell(cutOffNotice);
}

const rests: ReadonlySet<LogEvent["type"]> = new Set(["run.paused", "run.extended"]);

const decidedElsewhere: ReadonlySet<LogEvent["type"]> = new Set([
  "run.decided",
  "run.messaged",
  "run.cancelled",
  "run.extended",
]);

/** True if something is open that does not need a person. */
const isAtWork = ({ needs }: RunState) => [...needs.values()].some(({ port }) => port !== "human");

const gatesOf = ({ needs, opened }: RunState): readonly OpenGate[] =>
  [...needs.values()].flatMap((need) =>
    need.port === "human"
      ? [
          {
            path: withoutAttempt(need.path),
            message: need.ask.message,
            need: need.path,
            since: opened.get(need.path) ?? "",
          },
        ]
      : [],
  );
