import type { RunEvent } from "../engine/run-events.ts";
import { applyEvent, startSummary } from "../status/run-summary.ts";
import { openStopwatch } from "./progress-line.ts";
import { openTranscript } from "./transcript.ts";

export interface LogFilter {
  /** Only this iteration of every loop. */
  readonly iteration?: number | undefined;
  /** Only what is at this node or below it. */
  readonly node?: string | undefined;
}

/** A recorded run as a log: each agent's message, the end of each check's output, and the results. */
export function openRunLog(write: (line: string) => void, filter: LogFilter = {}) {
  const timeOf = openStopwatch();
  const transcript = openTranscript({ line: write, group: write, endGroup: () => undefined });
  let summary = startSummary();
  return {
    /** Call it with all events in order, including those that the filter hides. */
    add(event: RunEvent) {
      summary = applyEvent(summary, event);
      const took = timeOf(event);
      if (!isWanted(event, filter)) return;
      for (const live of recorded(event)) transcript.live(live, summary);
      transcript.emit(event, summary, took);
    },
  };
}

function isWanted(event: RunEvent, { iteration, node }: LogFilter): boolean {
  if (iteration === undefined && node === undefined) return true;
  if (!("path" in event) || event.path === undefined) return false;
  const parts = event.path.split(/[/#?!~]/);
  const inIteration = iteration === undefined || new RegExp(`#${iteration}(?![0-9])`).test(event.path);
  return inIteration && (node === undefined || parts.includes(node));
}

/** The messages of agents and the output of checks, as recorded. */
function recorded(event: RunEvent): readonly Parameters<ReturnType<typeof openTranscript>["live"]>[0][] {
  const { at } = event;
  if (event.type === "agent.answered")
    return linesOf(event.text).map((text) => ({ at, path: event.path, type: "agent.message", text }));
  if (event.type === "stop.tested" && event.tail !== undefined)
    return linesOf(event.tail).map((text) => ({ at, path: event.path, type: "check.output", text }));
  return [];
}

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
