import type { Plan } from "../plan/plan.ts";
import type { RunEvent, RunFacts, RunStarted } from "./event.ts";
import { type Decided, feeders, openState, type State } from "./feed.ts";
import type { Need } from "./flow.ts";
import { type Ledger, type Message, overspent, tighter } from "./ledger.ts";
import { shown } from "./path.ts";
import { silence } from "./story.ts";
import type { Gate, ToldEvent } from "./told.ts";

/** A gate that waits for a person. */
export interface OpenGate extends Gate {
  /** The path of its need: attempts included. */
  readonly need: string;
  /** When it opened, in ISO 8601. */
  readonly since: string;
}

/** A run in this process: fed its log event by event, it says which needs are open and what there is to tell. */
export interface Session {
  readonly plan: Plan;
  readonly facts: RunFacts;
  readonly ledger: Ledger;
  /** Open needs by path, in the order they arose. */
  readonly needs: ReadonlyMap<string, Need>;
  /** Whether the run has ended; nothing can be fed to it then. */
  readonly ended: boolean;
  /** The event that closes the log of a run that has ended. */
  readonly end: Omit<Extract<RunEvent, { type: "run.ended" }>, "at"> | undefined;
  /** Whether that event stands in the log. */
  readonly closed: boolean;
  /** Whether the run was paused and nobody has resumed it since. */
  readonly resting: boolean;
  /** Whether a need was begun in this stretch of the run. */
  begun(path: string): boolean;
  gates(): readonly OpenGate[];
  /** The messages that wait for the node of an open need, oldest first. */
  inbox(path: string): readonly Message[];
  /** What of the run's budget is used up, in words; never of a run that began before calls were reserved. */
  usedUp(): string | undefined;
  /** Who decided each gate that was decided, by the gate's path. */
  readonly decided: ReadonlyMap<string, Decided>;
  /** Takes one event in, at a constant cost whatever the log's length; throws `DivergedLogError`. */
  feed(event: RunEvent): void;
  /** What was told since the last call, in order. */
  take(): readonly ToldEvent[];
}

/** Begins a run from its first event. */
export function startSession(started: RunStarted): Session {
  const state = openState(started);
  const { plan, facts, ledger, needs, begun, decided, story } = state;
  feedTo(state, started);
  return {
    plan,
    facts,
    ledger,
    needs,
    get ended() {
      return story.ending !== undefined;
    },
    get end() {
      return story.ending;
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
    usedUp: () => (facts.reserves ? overspent(tighter(plan.budget, facts.limits), ledger) : undefined),
    decided,
    feed: (event) => feedTo(state, event),
    take: () => story.take(),
  };
}

function feedTo(state: State, event: RunEvent): void {
  if (state.story.ending !== undefined) {
    state.closed ||= event.type === "run.ended";
    return;
  }
  state.story.now = event.at;
  // From a pause until somebody resumes the run, time costs nothing.
  const resumes = event.type === "run.resumed";
  const isCutOff = resumes && !state.resting && state.begun.size === 0 && isAtWork(state);
  state.ledger.tick(event.at, state.resting || resumes);
  state.resting = event.type === "run.paused" || (state.resting && !resumes);
  feeders[event.type](event as never, state);
  if (isCutOff) state.story.tell(silence);
}

/** Whether something is open that a machine can meet. */
const isAtWork = ({ needs }: State) => [...needs.values()].some(({ port }) => port !== "human");

const gatesOf = ({ needs, opened }: State): readonly OpenGate[] =>
  [...needs.values()].flatMap((need) =>
    need.port === "human"
      ? [
          {
            path: shown(need.path),
            message: need.ask.message,
            need: need.path,
            since: opened.get(need.path) ?? "",
          },
        ]
      : [],
  );
