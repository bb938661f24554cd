import type { Plan } from "../plan/plan.ts";
import type { AgentAnswer, AgentFault } from "../ports/agent.ts";
import { noUsage } from "../ports/agent.ts";
import { defined } from "../ports/defined.ts";
import { type CompletedNode, conclude } from "./conclusion.ts";
import type { RunSettings } from "./log-events.ts";
import { createMessageDelivery, type MessageDelivery } from "./message-delivery.ts";
import { labelsOf } from "./node-labels.ts";
import { createOpenSpans } from "./open-spans.ts";
import type { Effect } from "./operation.ts";
import type { Outcome } from "./outcome.ts";
import { placeInWords, withoutAttempt } from "./path.ts";
import type { RunEvent, RunEventBody } from "./run-events.ts";
import type { MutableRunTotals } from "./run-totals.ts";

/** Emits the run events, numbered and in order, with exactly one end for every start. */
export interface RunEventEmitter {
  /** The closing record, once the end has been emitted. */
  readonly ending:
    | { readonly type: "run.ended"; readonly conclusion: string; readonly stop_reason: string }
    | undefined;
  /** The time of the event being emitted, in ISO 8601. */
  now: string;
  begin(): void;
  resume(): void;
  emit(event: RunEventBody): void;
  emitAsked(effect: Effect): void;
  /** `names`: the names under which the answering node receives messages. */
  emitAnswered(path: string, answer: AgentAnswer, names: readonly string[]): void;
  /** The names under which the node of an effect receives its messages. */
  namesOf(effect: Effect): readonly string[];
  /** Sends a message. */
  send(message: Parameters<MessageDelivery["send"]>[0]): void;
  emitRetried(path: string, retried: Retried): void;
  emitCutOff(path: string): void;
  /** Closes everything open and emits the end of the run. */
  end(outcome: Outcome): void;
  take(): readonly RunEvent[];
}

interface Retried {
  readonly attempt: number;
  readonly reason: string;
  readonly fault?: AgentFault;
}

interface EmitterOptions {
  readonly plan: Plan;
  readonly facts: RunSettings;
  readonly totals: MutableRunTotals;
}

export function createRunEventEmitter(about: EmitterOptions): RunEventEmitter {
  const { totals, facts } = about;
  const label = labelsOf(about.plan);
  const starts = createOpenSpans();
  const results = new Map<string, CompletedNode>();
  const keep = keepResults(about.plan, results);
  let events: RunEvent[] = [];
  let seq = 0;

  const emitter: { -readonly [K in keyof RunEventEmitter]: RunEventEmitter[K] } = {
    ending: undefined,
    now: "",
    emit(body) {
      const event = atShownPath(body);
      seq += 1;
      events.push({ v: 1, seq, at: emitter.now, run: facts.run, ...event });
      starts.follow(event);
      delivery.follow(event);
      if (event.type === "iteration.started") totals.countIteration();
      keep(event);
    },
    begin() {
      emitter.emit(startedEvent(about));
      for (const warning of facts.warnings) emitter.emit({ type: "notice", ...warning });
    },
    resume: () => emitter.emit({ type: "run.resumed", from_seq: seq + 1 }),
    emitAsked(effect) {
      if (effect.port === "agent") emitter.emit(askedEvent(effect));
    },
    namesOf: (effect) => namesOf(effect, label),
    emitAnswered(path, answer, names) {
      totals.spend(answer.usage, answer.tag);
      totals.reservations.settle(path, answer.usage);
      const read = (answer.read ?? []).filter((message) => totals.takeOut(names, message));
      for (const message of read) emitter.emit({ type: "message.delivered", to: label(path), ...message });
      emitter.emit(answered(path, answer));
      for (const notice of noticesOf(answer)) emitter.emit({ type: "notice", ...notice, path });
      for (const { to, text } of answer.sent ?? []) emitter.send({ from: label(path), to, text });
    },
    emitRetried: (path, retried) => emitter.emit({ type: "node.retried", path, ...retried }),
    emitCutOff: (path) => emitter.emit(cutOff(path)),
    send: (message) => delivery.send(message),
    end(outcome) {
      for (const closing of starts.closings(outcome)) emitter.emit(closing);
      delivery.close();
      const end = conclude({ plan: about.plan, outcome, results, ...starts.loopEnds() });
      emitter.ending = { type: "run.ended", conclusion: end.conclusion, stop_reason: end.stop_reason };
      const { iterations, usage } = totals;
      emitter.emit({ type: "run.ended", ...end, iterations, usage: { ...usage } });
    },
    take() {
      const taken = events;
      events = [];
      return taken;
    },
  };
  const delivery = createMessageDelivery(about.plan, { totals, emit: (event) => emitter.emit(event) });
  return emitter;
}

/** Collects results of top-level nodes, ordered by completion. */
function keepResults({ body }: Plan, results: Map<string, CompletedNode>): (event: RunEventBody) => void {
  // In a sequence all nodes share one scope, including those that loops repeat.
  const inScope = body.walk === undefined ? /^\/[^/#]+$/ : /^(?:\/[^/#]+#\d+)*\/[^/#]+$/;
  return (event) => {
    if (event.type !== "node.ended" || event.status !== "completed" || !inScope.test(event.path)) return;
    results.delete(event.node);
    results.set(event.node, event);
  };
}

const namesOf = ({ path, ask }: Effect, label: (path: string) => string): readonly string[] => [
  ...new Set([...("node" in ask ? [ask.node] : []), label(path)]),
];

/** Attempts share the path of the first. */
const atShownPath = (event: RunEventBody): RunEventBody =>
  "path" in event && event.path?.includes("~") ? { ...event, path: withoutAttempt(event.path) } : event;

const startedEvent = ({ plan, facts }: EmitterOptions): RunEventBody => ({
  type: "run.started",
  workflow: plan.name,
  dialect: plan.dialect,
  ...defined({ file: facts.file }),
  agent: facts.agent ?? plan.agent ?? facts.default_agent ?? "",
  message: facts.message,
});

const cutOff = (path: string): RunEventBody => ({
  type: "notice",
  code: "BEGUN_AGAIN",
  message: `${placeInWords(path)} was in progress when the run was interrupted; it starts again`,
  path,
});

/** The notice for a run that was interrupted without a record of what was in flight. */
export const cutOffNotice: RunEventBody = {
  type: "notice",
  code: "CUT_OFF",
  message: "the run was interrupted; work after its last recorded event may be repeated",
};

/** Notices that follow from an answer. */
function noticesOf({ notices = [], left = [] }: AgentAnswer) {
  if (left.length === 0) return notices;
  const message = `the agent left processes running at the end of its turn, and they were stopped: ${left.join("; ")}`;
  return [...notices, { code: "LEFT_RUNNING", message }];
}

function askedEvent({ path, ask }: Extract<Effect, { port: "agent" }>): RunEventBody {
  const { agent = "default", role, model, session, prompt } = ask;
  return {
    type: "agent.asked",
    path,
    agent,
    role,
    prompt,
    ...defined({ model, session }),
  };
}

function answered(path: string, { text, result, session, note, usage }: AgentAnswer): RunEventBody {
  return {
    type: "agent.answered",
    path,
    text,
    ...defined({ result, session, note }),
    usage: usage ?? noUsage,
  };
}
