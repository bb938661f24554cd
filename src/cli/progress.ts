import type { WriteStream } from "node:tty";
import { styleText } from "node:util";
import type { ToldEvent } from "../engine/told.ts";
import { oneLine } from "../report/escape.ts";
import { openStopwatch, type Paint, progressLine } from "../report/progress-line.ts";
import { duration, shortened } from "../report/words.ts";

/** Progress for people: a line for each thing that happened, and on a terminal one live line of what goes on. */
export interface Progress {
  tell(event: ToldEvent): void;
  onText(path: string, text: string): void;
  end(): void;
}

type Stream = Pick<WriteStream, "isTTY" | "columns"> & { readonly write: (text: string) => void };

export function openProgress(stream: Stream): Progress {
  const live = stream.isTTY ? openLive(stream) : undefined;
  const timeOf = openStopwatch();
  return {
    tell(event) {
      if (event.type === "node.started" || event.type === "iteration.started") live?.begin(event.path);
      if (event.type === "node.ended" || event.type === "iteration.ended") live?.end(event.path);
      const line = progressLine(event, timeOf(event), paint);
      if (line === undefined) return;
      live?.clear();
      stream.write(`${line}\n`);
      live?.draw();
    },
    onText: (path, text) => live?.say(path, text),
    end: () => live?.stop(),
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

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Text that a terminal cuts at its edge: some characters take two columns, and a second row would stay behind. */
const unwrapped = (text: string) => `\u001b[?7l${text}\u001b[?7h`;

/** One line at the bottom of a terminal that says what is at work and what it last said. */
function openLive(stream: Stream) {
  const atWork = new Map<string, number>();
  let last = "";
  let frame = 0;
  const clear = () => stream.write("\r\u001b[2K");
  const draw = () => {
    const path = [...atWork.keys()].at(-1);
    if (path === undefined) return;
    const took = duration(Date.now() - (atWork.get(path) ?? 0));
    const line = `${frames[frame % frames.length]} ${path.slice(1)} ${took} ${last}`;
    stream.write(`\r\u001b[2K${unwrapped(shortened(line, (stream.columns || 80) - 1))}`);
  };
  const timer = setInterval(() => {
    frame += 1;
    draw();
  }, 100);
  timer.unref();
  return {
    clear,
    draw,
    begin: (path: string) => atWork.set(path, Date.now()),
    end: (path: string) => atWork.delete(path),
    say(_path: string, text: string) {
      last = oneLine(text.trimEnd().split("\n").at(-1) ?? "");
    },
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}
