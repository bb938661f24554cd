import { afterCheck } from "../checks/after-check.ts";
import { withoutColour } from "../checks/colours.ts";
import type { Gate, RunEvent } from "../engine/run-events.ts";
import { noUsage } from "../ports/agent.ts";
import { appendBounded, type BoundedList, emptyBoundedList, mapMatching } from "./bounded-list.ts";
import { cancellationIn, withDecision } from "./decisions.ts";
import { truncate } from "./format.ts";
import { observeLoops, skipPause, sum } from "./loop-summary.ts";
import { messageOf } from "./messages.ts";
import type { FailingCheck, Message, Summary } from "./run-status-schema.ts";

export type { FailingCheck, Summary };

const mostOutput = 32 * 1024;

/** A run before its first event. */
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
    loops: emptyBoundedList,
    gates: [],
    notices: emptyBoundedList,
    messages: emptyBoundedList,
    output: "",
  };
}

/** The summary after one more event; the given one is unchanged. */
export function applyEvent(summary: Summary, event: RunEvent): Summary {
  const { lastAt = event.at, loops } = summary;
  const pause = event.type === "run.resumed" ? Date.parse(event.at) - Date.parse(lastAt) : 0;
  const awake = pause > 0 ? skipPause(loops, pause) : loops;
  return observeRun({ ...observeTime(summary, event), loops: observeLoops(awake, event) }, event);
}

/** The summary of all events of a run, in order. */
export function summarizeEvents(events: Iterable<RunEvent>): Summary {
  let summary = startSummary();
  for (const event of events) summary = applyEvent(summary, event);
  return summary;
}

function observeTime(summary: Summary, event: RunEvent): Summary {
  const ran = summary.state === "running" && event.type !== "run.resumed" && summary.lastAt !== undefined;
  const passed = ran ? Date.parse(event.at) - Date.parse(summary.lastAt ?? event.at) : 0;
  return {
    ...summary,
    run: event.run,
    lastAt: event.at,
    activeMs: summary.activeMs + Math.max(0, passed || 0),
  };
}

function observeRun(summary: Summary, event: RunEvent): Summary {
  switch (event.type) {
    case "run.started":
      return {
        ...summary,
        workflow: event.workflow,
        agent: event.agent || undefined,
        message: truncate(event.message, 2_000),
        startedAt: event.at,
      };
    case "run.resumed":
      return {
        ...summary,
        state: "running",
        stopReason: undefined,
        wakeAt: undefined,
        interrupted: undefined,
      };
    case "run.paused":
      return {
        ...summary,
        state: "paused",
        stopReason: event.stop_reason,
        gates: event.gates,
        wakeAt: event.wake_at,
        interrupted: event.interrupted,
      };
    case "run.ended":
      return observeEnd(summary, event);
    case "agent.answered":
    case "agent.failed":
      return { ...summary, usage: sum(summary.usage, event.usage) };
    case "iteration.ended":
      return {
        ...withConflict(withOutput(summary, event.output), event),
        iterations: summary.iterations + 1,
      };
    case "node.ended":
      return event.status === "completed" ? withOutput(summary, event.output) : summary;
    case "stop.tested":
      return event.tail === undefined ? summary : { ...summary, check: redCheck(event, event.tail) };
    case "notice":
      return { ...summary, notices: appendBounded(summary.notices, event) };
    case "message.sent":
      return { ...summary, messages: appendBounded(summary.messages, messageOf(event)) };
    case "message.dropped":
      return { ...summary, messages: withDropped(summary.messages, messageOf(event)) };
    case "gate.opened":
      return observeGate(summary, event);
    case "gate.answered":
      return observeAnswer(summary, event);
    default:
      return summary;
  }
}

type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

function observeGate(summary: Summary, { path, message, question, review }: EventOf<"gate.opened">): Summary {
  const opened = withoutGate(summary, path, [{ path, message, question }]);
  return review === undefined ? opened : { ...opened, review };
}

function observeAnswer(
  summary: Summary,
  { at, decision, by, text, path }: EventOf<"gate.answered">,
): Summary {
  const answered = withDecision(withoutGate(summary, path), { at, decision, by, text, path });
  return { ...answered, review: undefined };
}

/** If the work of an item is left out, a notice says so. */
function withConflict(
  summary: Summary,
  { conflict, path }: Extract<RunEvent, { readonly type: "iteration.ended" }>,
): Summary {
  if (conflict === undefined) return summary;
  const message = `${conflict}: its work is left out`;
  return {
    ...summary,
    notices: appendBounded(summary.notices, { type: "notice", code: "ITEM_CONFLICT", message, path }),
  };
}

/** A message sent earlier is now known to be dropped. */
function withDropped(messages: BoundedList<Message>, dropped: Message): BoundedList<Message> {
  const { from, to, text } = dropped;
  const isIt = (one: Message) =>
    one.dropped === undefined && one.from === from && one.to === to && one.text === text;
  return mapMatching(messages, isIt, () => dropped);
}

function observeEnd(summary: Summary, event: Extract<RunEvent, { readonly type: "run.ended" }>): Summary {
  const cancellation = cancellationIn(event);
  const decided = cancellation === undefined ? summary : withDecision(summary, cancellation);
  return {
    ...withOutput(decided, event.output),
    state: "ended",
    conclusion: event.conclusion,
    stopReason: event.stop_reason,
    because: event.because,
    endedAt: event.at,
    iterations: event.iterations,
    usage: event.usage,
    gates: [],
    review: event.review,
  };
}

function withOutput(summary: Summary, output: string): Summary {
  return output.trim() === "" ? summary : { ...summary, output: truncate(output, mostOutput) };
}

function withoutGate(summary: Summary, path: string, then: readonly Gate[] = []): Summary {
  return { ...summary, gates: [...summary.gates.filter((gate) => gate.path !== path), ...then] };
}

const shownLines = 20;
const mostTail = 4_000;

function redCheck({ verdict, because }: Tested, tail: string): FailingCheck | undefined {
  if (verdict === "done") return undefined;
  const { failingCount, failingTests, lastLines } = afterCheck.get();
  const lines = lastLines(withoutColour(tail), shownLines).join("\n");
  return {
    because: truncate(because, 300),
    count: failingCount(tail),
    tail: lines.slice(-mostTail).toWellFormed(),
    failing: failingTests(tail),
  };
}

type Tested = Extract<RunEvent, { readonly type: "stop.tested" }>;
