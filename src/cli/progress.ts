import type { WriteStream } from "node:tty";
import { styleText } from "node:util";
import type { RunEvent } from "../engine/run-events.ts";
import type { LiveEvent } from "../ports/live-event.ts";
import { openPlaces } from "../render/open-places.ts";
import { openStopwatch, type Paint } from "../render/progress-line.ts";
import { heartbeatMs, openTranscript } from "../render/transcript.ts";
import { applyEvent, startSummary } from "../status/run-summary.ts";
import { openLiveLines } from "./live-lines.ts";

/** Progress for people: a line for each event, and on a terminal a live line for everything that is running. */
export interface Progress {
  emit(event: RunEvent): void;
  live(event: LiveEvent): void;
  /** Reads the events from before this process. */
  recall(events: readonly RunEvent[]): void;
  end(): void;
}

type Stream = Pick<WriteStream, "isTTY" | "columns"> & { readonly write: (text: string) => void };

export function openProgress(stream: Stream): Progress {
  const timeOf = openStopwatch();
  let summary = startSummary();
  const places = openPlaces();
  const lines = stream.isTTY ? openLiveLines(stream, places) : undefined;
  const write = (text: string) => {
    lines?.clear();
    stream.write(`${text}\n`);
    lines?.draw();
  };
  const transcript = openTranscript({ line: write, group: write, endGroup: () => undefined }, paint, places);
  const beat = setInterval(() => {
    if (lines === undefined) transcript.heartbeat(new Date().toISOString());
  }, heartbeatMs);
  beat.unref();
  return {
    emit(event) {
      summary = applyEvent(summary, event);
      lines?.emit(event, summary);
      // The closing table reports the end of the run.
      if (event.type !== "run.ended") transcript.emit(event, summary, timeOf(event));
    },
    live(event) {
      // A terminal shows messages in the live line; a log prints them.
      if (lines === undefined) transcript.live(event, summary);
      else lines.live(event, summary);
    },
    recall(events) {
      for (const event of events) timeOf(event);
      summary = events.reduce(applyEvent, startSummary());
      for (const event of events) places.follow(event, summary);
    },
    end() {
      clearInterval(beat);
      transcript.end();
      lines?.stop();
    },
  };
}

const onErrors = { stream: process.stderr };
const paint: Paint = {
  dim: (text) => styleText("dim", text, onErrors),
  bold: (text) => styleText("bold", text, onErrors),
  green: (text) => styleText("green", text, onErrors),
  red: (text) => styleText("red", text, onErrors),
  yellow: (text) => styleText("yellow", text, onErrors),
};
