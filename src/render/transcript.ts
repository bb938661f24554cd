import type { RunEvent } from "../engine/run-events.ts";
import type { LiveEvent } from "../ports/live-event.ts";
import { toArray } from "../status/bounded-list.ts";
import { cancellationIn, whenText } from "../status/decisions.ts";
import { headline } from "../status/headline.ts";
import type { Summary } from "../status/run-summary.ts";
import { nodeTitle, titleOf } from "../status/titles.ts";
import { oneLine, stripControlCharacters } from "./escape.ts";
import { isOver } from "./is-over.ts";
import { changedFiles, iterationResult } from "./iteration-line.ts";
import { openLanes, type TranscriptOutput } from "./lanes.ts";
import { openPlaces } from "./open-places.ts";
import { type Paint, plainly, progressLine } from "./progress-line.ts";
import { verdictText } from "./verdict-text.ts";

export { heartbeatMs } from "./lanes.ts";

/** A run as a log to read from top to bottom: its events, and the output of agents and checks in between. */
export interface Transcript {
  /** `summary` is the run's summary after this event; `took` is in milliseconds. */
  emit(event: RunEvent, summary: Summary, took: number): void;
  live(event: LiveEvent, summary: Summary): void;
  /** Call it every `heartbeatMs`: reports what is still running if there was no output for a minute. */
  heartbeat(now: string): void;
  end(): void;
}

export function openTranscript(
  output: TranscriptOutput,
  paint: Paint = plainly,
  places = openPlaces(),
): Transcript {
  const lanes = openLanes(output);
  return {
    emit(event, summary, took) {
      places.follow(event, summary);
      if (event.type === "agent.asked")
        lanes.open(
          event.path,
          oneLine(`${titleOf(event.path, toArray(summary.loops))} · ${event.agent.split(":")[0]}`),
          event.at,
        );
      for (const path of lanes.paths()) if (isOver(path, event)) lanes.close(path);
      const text = eventLine(event, summary, paint) ?? progressLine(titled(event, summary), took, paint);
      if (text !== undefined) lanes.line(text);
    },
    live(event, summary) {
      if (event.type === "agent.usage") return;
      const kind = event.type === "node.output" ? " · output" : "";
      // A check that is repeated, for example in a fresh clone, has ended before.
      for (const path of lanes.paths()) if (event.path.startsWith(`${path}!`)) lanes.close(path);
      lanes.open(event.path, oneLine(`${liveTitle(event, summary)}${kind}`), event.at);
      lanes.write(event.path, liveLine(event, paint));
    },
    heartbeat: (now) => lanes.heartbeat(now, places.innermost()),
    end() {
      for (const path of lanes.paths()) lanes.close(path);
    },
  };
}

/** The line for the result of an iteration, the check's result before the first one, or the end of the run. */
function eventLine(event: RunEvent, summary: Summary, { dim }: Paint): string | undefined {
  if (event.type === "stop.tested" && /#0\?[^/]*$/.test(event.path)) {
    const before = loopAt(event.path.replace(/#0\?[^/]*$/, ""), summary)?.before;
    return before === undefined
      ? undefined
      : `${titleOf(event.path, toArray(summary.loops))}: ${verdictText(before)}`;
  }
  if (event.type === "run.ended") {
    const when = cancellationIn(event) === undefined ? "" : `, ${whenText(event.at)}`;
    return oneLine(`${headline(summary)}${event.because === undefined ? "" : `: ${event.because}${when}`}`);
  }
  if (event.type !== "iteration.ended") return undefined;
  const loop = loopAt(event.path.slice(0, -`#${event.number}`.length), summary);
  if (loop === undefined) return undefined;
  const title = titleOf(event.path, toArray(summary.loops));
  const files = oneLine(changedFiles(loop, event.number));
  return `${oneLine(`${title}: ${iterationResult(loop, event.number)}`)}${files === "" ? "" : `\n  ${dim(`changed: ${files}`)}`}`;
}

/** A node inside a loop is shown by its title instead of its path. */
const titled = (event: RunEvent, { loops }: Summary): RunEvent =>
  "label" in event ? { ...event, label: oneLine(nodeTitle(event, toArray(loops))) } : event;

const loopAt = (path: string, summary: Summary) => toArray(summary.loops).find((loop) => loop.path === path);

/** A live event for people: messages unchanged, tools and output with a sign. */
export function liveLine(
  event: Exclude<LiveEvent, { readonly type: "agent.usage" }>,
  { dim }: Paint = plainly,
): string {
  if (event.type === "agent.tool")
    return `  ${dim("→")} ${stripControlCharacters(event.tool)} ${dim(oneLine(stripControlCharacters(event.about)))}`.trimEnd();
  const text = stripControlCharacters(event.text).replaceAll("\n", " ");
  return event.type === "agent.message" ? `  ${text}` : `  ${dim("│")} ${text}`;
}

/** The place a live event belongs to, for people. */
export const liveTitle = (event: LiveEvent, summary: Summary) =>
  titleOf(event.path, toArray(summary.loops)) + (event.type === "check.output" ? checkTitle(event) : "");

const checkTitle = ({ clean }: { readonly clean?: true }) =>
  clean ? " · check in a fresh clone" : " · check";
