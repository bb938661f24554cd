import type { LiveEvent, ToolCall } from "../ports/live-event.ts";
import { redact } from "./redact.ts";

interface LiveOptions {
  readonly path: string;
  /** What a line of text is. */
  readonly kind: "agent.message" | "check.output" | "node.output";
  /** Added to each event. */
  readonly more?: { readonly clean?: true };
  readonly secrets: readonly string[];
  now(): string;
  emit(event: LiveEvent): void;
}

/** Turns what an agent or a process prints, in pieces of any size, into live events: one a line. */
export interface LiveOutput {
  text(piece: string): void;
  tool(call: ToolCall): void;
  /** Emits the rest of the last line. */
  end(): void;
}

/** The most events of one effect, and the most characters of a line: the log of a job is not for gigabytes. */
const mostEvents = 1_000;
const mostText = 2_000;
/** So much of a line without an end is looked at: a secret at the cut is still seen whole. */
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
      // Each line costs a search for every form of every secret: not for lines that are not shown.
      if (count >= mostEvents) return;
      const [first = "", ...more] = piece.split(/\r?\n|\r/);
      line = (line + first).slice(0, mostLine);
      for (const next of more) {
        sendLine();
        line = next.slice(0, mostLine);
      }
    },
    tool({ name, about }) {
      sendLine();
      const short = (text: string) => redact(text, secrets).replace(/\s+/g, " ").trim().slice(0, mostAbout);
      send({ at: now(), path, type: "agent.tool", tool: short(name), about: short(about).toWellFormed() });
    },
    end: sendLine,
  };
}

const mostAbout = 200;
