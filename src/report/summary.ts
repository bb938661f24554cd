import type { Conclusion, Gate, Notice, StopReason, ToldEvent } from "../engine/told.ts";
import type { Usage } from "../ports/agent.ts";
import { change, type Kept, keep, keptNone } from "./kept.ts";
import { type LoopSummary, noUsage, observeLoops, sum } from "./loop-summary.ts";
import { type Message, messageOf } from "./messages.ts";
import { cut } from "./words.ts";

/** A whole run as people read it; of bounded size, however long the run. */
export interface Summary {
  readonly run: string;
  readonly workflow: string;
  readonly agent: string | undefined;
  readonly message: string;
  readonly state: "running" | "paused" | "ended";
  readonly conclusion: Conclusion | undefined;
  readonly stopReason: StopReason | undefined;
  readonly because: string | undefined;
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  /** Of the last event. */
  readonly lastAt: string | undefined;
  /** The time in which something ran: pauses do not count. */
  readonly activeMs: number;
  readonly iterations: number;
  readonly usage: Usage;
  readonly loops: Kept<LoopSummary>;
  /** The open ones, oldest first. */
  readonly gates: readonly Gate[];
  readonly notices: Kept<Notice>;
  readonly messages: Kept<Message>;
  /** What the run, or else the last iteration or node, left as its output. */
  readonly output: string;
}

const mostOutput = 32 * 1024;

/** What is known of a run before its first event. */
export function startSummary(): Summary {
  return {
    run: "",
    workflow: "",
    agent: undefined,
    message: "",
    state: "running",
    conclusion: undefined,
    stopReason: undefined,
    because: undefined,
    startedAt: undefined,
    endedAt: undefined,
    lastAt: undefined,
    activeMs: 0,
    iterations: 0,
    usage: noUsage,
    loops: keptNone,
    gates: [],
    notices: keptNone,
    messages: keptNone,
    output: "",
  };
}

/** The summary after one more event; the one given stays as it is. */
export function observe(summary: Summary, event: ToldEvent): Summary {
  return observeRun({ ...observeTime(summary, event), loops: observeLoops(summary.loops, event) }, event);
}

/** The summary of all events of a run, in order. */
export function summarise(events: Iterable<ToldEvent>): Summary {
  let summary = startSummary();
  for (const event of events) summary = observe(summary, event);
  return summary;
}

function observeTime(summary: Summary, event: ToldEvent): Summary {
  const ran = summary.state === "running" && event.type !== "run.resumed" && summary.lastAt !== undefined;
  const passed = ran ? Date.parse(event.at) - Date.parse(summary.lastAt ?? event.at) : 0;
  return {
    ...summary,
    run: event.run,
    lastAt: event.at,
    activeMs: summary.activeMs + Math.max(0, passed || 0),
  };
}

function observeRun(summary: Summary, event: ToldEvent): Summary {
  switch (event.type) {
    case "run.started":
      return {
        ...summary,
        workflow: event.workflow,
        agent: event.agent || undefined,
        message: cut(event.message, 2_000),
        startedAt: event.at,
      };
    case "run.resumed":
      return { ...summary, state: "running", stopReason: undefined };
    case "run.paused":
      return { ...summary, state: "paused", stopReason: event.stop_reason, gates: event.gates };
    case "run.ended":
      return observeEnd(summary, event);
    case "agent.answered":
      return { ...summary, usage: sum(summary.usage, event.usage) };
    case "iteration.ended":
      return { ...withOutput(summary, event.output), iterations: summary.iterations + 1 };
    case "node.ended":
      return event.status === "completed" ? withOutput(summary, event.output) : summary;
    case "notice":
      return { ...summary, notices: keep(summary.notices, event) };
    case "message.sent":
      return { ...summary, messages: keep(summary.messages, messageOf(event)) };
    case "message.dropped":
      return { ...summary, messages: withDropped(summary.messages, messageOf(event)) };
    case "gate.opened":
      return withoutGate(summary, event.path, [{ path: event.path, message: event.message }]);
    case "gate.answered":
      return withoutGate(summary, event.path);
    default:
      return summary;
  }
}

/** What was sent before is now known to be dropped. */
function withDropped(messages: Kept<Message>, dropped: Message): Kept<Message> {
  const { from, to, text } = dropped;
  const isIt = (one: Message) =>
    one.dropped === undefined && one.from === from && one.to === to && one.text === text;
  return change(messages, isIt, () => dropped);
}

function observeEnd(summary: Summary, event: Extract<ToldEvent, { readonly type: "run.ended" }>): Summary {
  return {
    ...withOutput(summary, event.output),
    state: "ended",
    conclusion: event.conclusion,
    stopReason: event.stop_reason,
    because: event.because,
    endedAt: event.at,
    iterations: event.iterations,
    usage: event.usage,
    gates: [],
  };
}

function withOutput(summary: Summary, output: string): Summary {
  return output.trim() === "" ? summary : { ...summary, output: cut(output, mostOutput) };
}

function withoutGate(summary: Summary, path: string, then: readonly Gate[] = []): Summary {
  return { ...summary, gates: [...summary.gates.filter((gate) => gate.path !== path), ...then] };
}
