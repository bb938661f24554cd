import type { Plan } from "../plan/plan.ts";
import { again } from "./again.ts";
import { DivergedLogError, type RunEvent, type RunFacts, type RunStarted } from "./event.ts";
import { type Fibers, startFibers } from "./fibers.ts";
import { type Need, Unmet } from "./flow.ts";
import { type OpenLedger, openLedger } from "./ledger.ts";
import { tellPlan } from "./nodes/index.ts";
import { shown } from "./path.ts";
import { openStory, type Story } from "./story.ts";

/** All that a session keeps of a run. */
export interface State {
  readonly plan: Plan;
  readonly facts: RunFacts;
  readonly ledger: OpenLedger;
  readonly story: Story;
  readonly fibers: Fibers;
  readonly needs: Map<string, Need>;
  /** When each gate opened. */
  readonly opened: Map<string, string>;
  /** Needs begun in this stretch of the run, and those a kill cut off in an earlier one. */
  readonly begun: Set<string>;
  readonly cut: Set<string>;
  readonly decided: Map<string, Decided>;
  /** How often each open need was put to the world, where that was more than once. */
  readonly attempts: Map<string, number>;
  /** Between a pause and the next resume. */
  resting: boolean;
  /** The log says that the run has ended. */
  closed: boolean;
}

export function openState({ plan, facts }: RunStarted): State {
  const ledger = openLedger();
  const story = openStory({ plan, facts, ledger });
  const needs = new Map<string, Need>();
  const opened = new Map<string, string>();
  const fibers = startFibers({
    ledger,
    tell: (told) => story.tell(told),
    open(need) {
      if (needs.has(need.path)) throw new DivergedLogError(`two needs at ${need.path}`);
      needs.set(need.path, need);
      if (need.port === "human") opened.set(need.path, story.now);
    },
    end(outcome) {
      needs.clear();
      story.end(outcome);
    },
  });
  return {
    plan,
    facts,
    ledger,
    story,
    fibers,
    needs,
    opened,
    begun: new Set(),
    cut: new Set(),
    decided: new Map(),
    attempts: new Map(),
    resting: false,
    closed: false,
  };
}

type Feeder<T extends RunEvent["type"]> = (event: Extract<RunEvent, { type: T }>, state: State) => void;

/** Who decided a gate, and which: a path may have had several. */
export interface Decided {
  readonly by: string;
  /** The path of its need. */
  readonly need: string;
  /** When it had opened, in ISO 8601. */
  readonly since: string;
  /** The comment that said so. */
  readonly comment: number | undefined;
}

/** What each event does to a run. */
export const feeders: { readonly [T in RunEvent["type"]]: Feeder<T> } = {
  "run.started"(_, { story, fibers, plan, facts }) {
    story.begin();
    fibers.begin(tellPlan(plan, facts));
  },
  "run.resumed"(_, { story, begun, cut, needs }) {
    for (const path of begun) {
      const need = needs.get(path);
      cut.add(path);
      if (need !== undefined) needs.set(path, again(need));
    }
    begun.clear();
    story.resume();
  },
  "run.paused"({ stop_reason }, { story, needs }) {
    const gates = [...needs.values()].flatMap((need) =>
      need.port === "human" ? [{ path: shown(need.path), message: need.ask.message }] : [],
    );
    story.tell({ type: "run.paused", stop_reason, gates });
  },
  "run.decided"({ gate, decision, by, text, comment }, state) {
    const need = state.needs.get(gate);
    if (need?.port !== "human") return;
    const since = state.opened.get(gate) ?? "";
    settle(gate, state);
    // A gate may open again: the newest decision stands last.
    state.decided.delete(shown(gate));
    state.decided.set(shown(gate), { by, need: gate, since, comment: comment?.id });
    state.story.tell({ type: "gate.answered", path: gate, node: need.ask.node, decision, by, text });
    state.fibers.resume(gate, { value: { decision, by, text } });
  },
  "run.messaged": ({ to, from, text }, { story }) => story.send({ from, to, text }),
  "run.cancelled": ({ because }, { fibers }) => fibers.stop({ status: "cancelled", because }),
  "run.ended": () => undefined,
  "need.begun"({ path }, { needs, begun, cut, story }) {
    const need = needs.get(path);
    if (need === undefined) throw new DivergedLogError(`the log begins ${path}, which is not open`);
    begun.add(path);
    if (cut.has(path)) story.tellCutOff(path);
    story.tellAsked(need);
  },
  "need.met"(event, state) {
    const need = settle(event.path, state);
    if (need.port !== event.port) {
      throw new DivergedLogError(
        `the log has a ${event.port} answer at ${event.path}, the plan a ${need.port} need`,
      );
    }
    if (event.port === "agent") state.story.tellAnswered(event.path, event.answer, state.story.namesOf(need));
    state.fibers.resume(event.path, { value: event.answer });
    if (event.port === "agent") state.fibers.wake();
  },
  "need.failed"(event, state) {
    state.ledger.spend(event.usage, event.tag);
    // Without a class it was no failure, but stopped: that is told by who stopped it.
    if (!event.final && event.fault === undefined) return;
    if (!event.final) {
      const attempt = (state.attempts.get(event.path) ?? 1) + 1;
      state.attempts.set(event.path, attempt);
      return state.story.tellRetried(event.path, { attempt, reason: event.because });
    }
    settle(event.path, state);
    state.ledger.purse.settle(event.path, event.usage);
    state.fibers.resume(event.path, { error: unmet(event) });
    state.fibers.wake();
  },
};

/** Closes a need that has its answer. */
function settle(path: string, { needs, begun, cut, opened, attempts }: State): Need {
  const need = needs.get(path);
  if (need === undefined) throw new DivergedLogError(`the log answers ${path}, which the plan never asked`);
  needs.delete(path);
  begun.delete(path);
  cut.delete(path);
  opened.delete(path);
  attempts.delete(path);
  return need;
}

const transientFaults: ReadonlySet<string> = new Set(["rate-limit", "overloaded", "network"]);

function unmet({ because, fault }: Extract<RunEvent, { type: "need.failed" }>): Unmet {
  if (fault === undefined) return new Unmet("internal", because);
  const reason = fault === "idle" || fault === "timeout" ? fault : "agent-error";
  return new Unmet(reason, because, transientFaults.has(fault));
}
