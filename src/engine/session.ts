import type { Gate, ToldEvent } from "./told.ts";
import type { Plan } from "../plan/plan.ts";
import { again } from "./again.ts";
import { DivergedLogError, type RunEvent, type RunFacts, type RunStarted } from "./event.ts";
import { startFibers } from "./fibers.ts";
import { type Need, Unmet } from "./flow.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { tellPlan } from "./nodes/index.ts";
import { shown } from "./path.ts";
import { openStory } from "./story.ts";

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
  /** Whether a need was begun in this stretch of the run. */
  begun(path: string): boolean;
  /** Whether a kill cut off an earlier attempt at a need. */
  cutOff(path: string): boolean;
  gates(): readonly Gate[];
  /** Who decided each gate that was decided, by the gate's path. */
  readonly decided: ReadonlyMap<string, string>;
  feed(event: RunEvent): void;
  /** What was told since the last call, in order. */
  take(): readonly ToldEvent[];
}

/** Begins a run from its first event. Constant cost per event fed, whatever the log's length. */
export function startSession(started: RunStarted): Session {
  const { plan, facts } = started;
  const book = openLedger();
  const story = openStory(plan, facts, book);
  const needs = new Map<string, Need>();
  const begun = new Set<string>();
  const cut = new Set<string>();
  const decided = new Map<string, string>();
  const fibers = startFibers({
    ledger: book,
    tell: (told) => story.tell(told),
    open(need) {
      if (needs.has(need.path)) throw new DivergedLogError(`two needs at ${need.path}`);
      needs.set(need.path, need);
    },
    end(outcome) {
      needs.clear();
      story.end(outcome);
    },
  });

  const settle = (path: string): Need => {
    const need = needs.get(path);
    if (need === undefined) throw new DivergedLogError(`the log answers ${path}, which the plan never asked`);
    needs.delete(path);
    begun.delete(path);
    cut.delete(path);
    return need;
  };

  // From a pause until somebody resumes the run, time costs nothing.
  let resting = false;
  const feed = (event: RunEvent) => {
    if (story.ended) return;
    story.at(event.at);
    book.tick(event.at, resting || event.type === "run.resumed");
    resting = event.type === "run.paused" || (resting && event.type !== "run.resumed");
    switch (event.type) {
      case "run.started":
        story.begin();
        fibers.begin(tellPlan(plan, facts));
        break;
      case "run.resumed":
        for (const path of begun) cut.add(path);
        for (const path of begun) needs.set(path, again(needs.get(path) as Need));
        begun.clear();
        story.resume();
        break;
      case "run.paused":
        story.tell({ type: "run.paused", stop_reason: event.stop_reason, gates: gatesOf(needs) });
        break;
      case "run.decided": {
        if (needs.get(event.gate)?.port !== "human") return;
        const { decision, by, text } = event;
        settle(event.gate);
        decided.set(shown(event.gate), by);
        story.tell({ type: "gate.answered", path: shown(event.gate), decision, by, text });
        fibers.resume(event.gate, { value: { decision, by, text } });
        break;
      }
      case "run.messaged":
        book.post(event.to, { from: event.from, text: event.text });
        story.tell({ type: "message.sent", from: event.from, to: event.to, text: event.text });
        break;
      case "run.cancelled":
        fibers.stop({ status: "cancelled", because: event.because });
        break;
      case "run.ended":
        break;
      case "need.begun": {
        const need = needs.get(event.path);
        if (need === undefined) throw new DivergedLogError(`the log begins ${event.path}, which is not open`);
        begun.add(event.path);
        if (cut.has(event.path)) story.tellCutOff(event.path);
        story.tellAsked(need);
        break;
      }
      case "need.met": {
        const { port } = settle(event.path);
        if (port !== event.port) {
          throw new DivergedLogError(`the log has a ${event.port} answer at ${event.path}, the plan a ${port} need`);
        }
        if (event.port === "agent") story.tellAnswered(event.path, event.answer);
        fibers.resume(event.path, { value: event.answer });
        break;
      }
      case "need.failed":
        book.spend(event.usage, event.tag);
        if (event.final) {
          settle(event.path);
          fibers.resume(event.path, { error: unmet(event) });
        } else {
          story.tellRetried(event.path, event.because);
        }
        break;
    }
  };

  feed(started);
  return {
    plan,
    facts,
    ledger: book,
    needs,
    get ended() {
      return story.ended;
    },
    get end() {
      return story.ending;
    },
    begun: (path) => begun.has(path),
    cutOff: (path) => cut.has(path),
    gates: () => gatesOf(needs),
    decided,
    feed,
    take: () => story.take(),
  };
}

const transientFaults = new Set(["rate-limit", "overloaded", "network"]);

function unmet({ because, fault }: Extract<RunEvent, { type: "need.failed" }>): Unmet {
  if (fault === undefined) return new Unmet("internal", because);
  const reason = fault === "idle" || fault === "timeout" ? fault : "agent-error";
  return new Unmet(reason, because, transientFaults.has(fault));
}

function gatesOf(needs: ReadonlyMap<string, Need>): readonly Gate[] {
  const gates: Gate[] = [];
  for (const need of needs.values()) {
    if (need.port === "human") gates.push({ path: shown(need.path), message: need.ask.message });
  }
  return gates;
}
