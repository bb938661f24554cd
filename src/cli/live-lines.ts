import type { WriteStream } from "node:tty";
import type { RunEvent } from "../engine/run-events.ts";
import { addUsage, noUsage, type Usage } from "../ports/agent.ts";
import type { LiveEvent } from "../ports/live-event.ts";
import { oneLine } from "../render/escape.ts";
import { isOver } from "../render/is-over.ts";
import type { OpenPlaces } from "../render/open-places.ts";
import { liveLine, liveTitle } from "../render/transcript.ts";
import { toArray } from "../status/bounded-list.ts";
import { duration, money, shortened, tokens } from "../status/format.ts";
import type { Summary } from "../status/run-summary.ts";
import { nodeTitle, titleOf } from "../status/titles.ts";

/** The live lines at the bottom of a terminal: one for each running step, with its last output. */
export interface LiveLines {
  emit(event: RunEvent, summary: Summary): void;
  live(event: LiveEvent, summary: Summary): void;
  clear(): void;
  draw(): void;
  stop(): void;
}

type Stream = Pick<WriteStream, "columns"> & { readonly write: (text: string) => void };

interface Line {
  readonly title: string;
  readonly since: number;
  output: string;
  /** The usage of its call so far. */
  usage: Usage;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** More lines would push the history off the screen. */
const mostLines = 6;

/**
 * Shortens text to the terminal's width: some characters take two columns, and a wrapped row would remain on screen.
 */
const unwrapped = (text: string) => `\u001b[?7l${text}\u001b[?7h`;

export function openLiveLines(stream: Stream, places: Pick<OpenPlaces, "innermost">): LiveLines {
  const running = new Map<string, Line>();
  const screen = openScreen(stream);
  let frame = 0;
  let ended = noUsage;
  const textOf = ({ title, since, output }: Line) => {
    const usage = [...running.values()].reduce((all, line) => addUsage(line.usage, all), ended);
    const facts = [title, duration(Date.now() - since), spentText(usage)].filter((part) => part !== "");
    return `${frames[frame % frames.length]} ${facts.join(" · ")} ${output}`;
  };
  const draw = () => {
    const place = places.innermost();
    const idle =
      place === undefined ? [] : [{ ...place, since: Date.parse(place.since), output: "", usage: noUsage }];
    const lines = running.size > 0 ? [...running.values()] : idle;
    const more = lines.length > mostLines ? [`  … ${lines.length - mostLines} more running`] : [];
    screen.draw([...lines.slice(0, mostLines).map(textOf), ...more]);
  };
  const timer = setInterval(() => {
    frame += 1;
    if (running.size > 0 || places.innermost() !== undefined) draw();
  }, 100);
  timer.unref();
  const begin = (path: string, title: string) =>
    running.set(path, { title: oneLine(title), since: Date.now(), output: "", usage: noUsage });
  return {
    clear: screen.clear,
    draw,
    emit(event, summary) {
      ended = summary.usage;
      // Its usage is in the summary now. A retry is asked again.
      if (event.type === "agent.failed") running.delete(event.path);
      if (event.type === "agent.asked") begin(event.path, titleOf(event.path, toArray(summary.loops)));
      if (event.type === "node.started" && event.kind !== "loop" && event.kind !== "for-each")
        begin(event.path, nodeTitle(event, toArray(summary.loops)));
      for (const path of running.keys()) if (isOver(path, event)) running.delete(path);
    },
    live(event, summary) {
      for (const path of running.keys()) if (event.path.startsWith(`${path}!`)) running.delete(path);
      if (!running.has(event.path)) begin(event.path, liveTitle(event, summary));
      const line = running.get(event.path);
      if (line === undefined) return;
      if (event.type === "agent.usage") line.usage = event.usage;
      else line.output = oneLine(liveLine(event).trim());
    },
    stop() {
      clearInterval(timer);
      screen.clear();
    },
  };
}

/** A cost; its tokens if no price is known. */
function spentText(usage: Usage): string {
  const all = tokens(usage);
  return money(usage) || (all === "" ? "" : `${all} tokens`);
}

/** The last rows of a terminal, redrawn each time. */
function openScreen(stream: Stream) {
  let rows = 0;
  const clear = () => {
    if (rows > 1) stream.write(`\u001b[${rows - 1}A`);
    stream.write("\r\u001b[J");
    rows = 0;
  };
  return {
    clear,
    draw(lines: readonly string[]) {
      clear();
      const width = (stream.columns || 80) - 1;
      stream.write(lines.map((line) => unwrapped(shortened(line, width))).join("\n"));
      rows = lines.length;
    },
  };
}
