import { countable, type ToolCall, type Usage } from "../ports/agent.ts";
import type { LiveEvent } from "../ports/live-event.ts";
import { redact } from "./redact.ts";

interface LiveOptions {
  readonly path: string;
  /** The kind of output. */
  readonly kind: "agent.message" | "check.output" | "node.output";
  /** Fields added to each event. */
  readonly more?: { readonly clean?: true };
  readonly secrets: readonly string[];
  now(): string;
  emit(event: LiveEvent): void;
}

/** Turns output of agents and processes, in chunks of any size, into live events: one per line. */
export interface LiveOutput {
  text(piece: string): void;
  tool(call: ToolCall): void;
  usage(usage: Usage): void;
  /** Emits the incomplete last line. */
  end(): void;
}

/** Limits of one effect: number of events, and characters per line. A job's log is not made for gigabytes. */
const mostEvents = 1_000;
const mostText = 2_000;
/**
 * How much of an unfinished line is buffered: more than is shown, so that a secret at the cut is still recognized.
 */
const mostLine = mostText * 4;

export function openLiveOutput({ path, kind, more = {}, secrets, now, emit }: LiveOptions): LiveOutput {
  let line = "";
  let count = 0;
  const send = (event: LiveEvent) => {
    count += 1;
    if (count < mostEvents) emit(event);
    if (count === mostEvents)
      emit({ at: now(), path, type: kind, text: "… further output is not shown", ...more });
  };
  const sendLine = () => {
    const text = redact(line, secrets).slice(0, mostText).trimEnd().toWellFormed();
    line = "";
    if (text !== "") send({ at: now(), path, type: kind, text, ...more });
  };
  return {
    text(piece) {
      // Redaction costs a search for every form of every secret: skip it for lines that are not shown.
      if (count >= mostEvents) return;
      const [first = "", ...more] = piece.split("\n");
      line = overwritten(line + first);
      for (const next of more) {
        sendLine();
        line = overwritten(next);
      }
    },
    tool({ name, about }) {
      sendLine();
      const short = (text: string) => redact(text, secrets).replace(/\s+/g, " ").trim().slice(0, mostAbout);
      send({ at: now(), path, type: "agent.tool", tool: short(name), about: short(about).toWellFormed() });
    },
    usage(usage) {
      if (count < mostEvents) send({ at: now(), path, type: "agent.usage", usage: countable(usage) });
    },
    end: sendLine,
  };
}

const mostAbout = 200;

/** A line without the frames of a progress bar, each of which begins with a carriage return and replaces the last. */
function overwritten(line: string): string {
  const end = line.endsWith("\r") ? line.length - 1 : line.length;
  return line.slice(end === 0 ? 0 : line.lastIndexOf("\r", end - 1) + 1).slice(0, mostLine);
}
