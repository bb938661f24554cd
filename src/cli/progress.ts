import type { WriteStream } from "node:tty";
import { styleText } from "node:util";
import type { ToldEvent } from "../engine/told.ts";
import { oneLine, plain } from "../report/escape.ts";
import { failingTests } from "../report/failing.ts";
import { changes, duration, shortened } from "../report/words.ts";

/** Progress for people: a line for each thing that happened, and on a terminal one live line of what goes on. */
export interface Progress {
  tell(event: ToldEvent): void;
  onText(path: string, text: string): void;
  end(): void;
}

type Stream = Pick<WriteStream, "write" | "isTTY" | "columns">;

export function openProgress(stream: Stream): Progress {
  const live = stream.isTTY ? openLive(stream) : undefined;
  const started = new Map<string, number>();
  return {
    tell(event) {
      const at = Date.parse(event.at);
      if ("path" in event && event.path !== undefined) {
        if (event.type.endsWith(".started")) started.set(event.path, at);
        if (event.type === "node.started" || event.type === "iteration.started") live?.begin(event.path);
        if (event.type === "node.ended" || event.type === "iteration.ended") live?.end(event.path);
      }
      const took = "path" in event ? at - (started.get(event.path ?? "") ?? at) : 0;
      const line = lineOf(event, took);
      if (line === undefined) return;
      live?.clear();
      stream.write(`${line}\n`);
      live?.draw();
    },
    onText: (path, text) => live?.say(path, text),
    end: () => live?.stop(),
  };
}

const dim = (text: string) => styleText("dim", text, { stream: process.stderr });
const bold = (text: string) => styleText("bold", text, { stream: process.stderr });
const green = (text: string) => styleText("green", text, { stream: process.stderr });
const red = (text: string) => styleText("red", text, { stream: process.stderr });
const yellow = (text: string) => styleText("yellow", text, { stream: process.stderr });

/** What an event is to people; `undefined` for those that only programs need. */
function lineOf(event: ToldEvent, took: number): string | undefined {
  switch (event.type) {
    case "run.started":
      return `${bold(event.workflow)} ${dim(`run ${event.run} · agent ${event.agent}`)}`;
    case "run.resumed":
      return dim("resumed");
    case "node.started":
      return event.kind === "loop" || event.kind === "for-each" ? undefined : dim(`▶ ${event.label}`);
    case "node.ended":
      return nodeLine(event, took);
    case "node.retried":
      return yellow(`  again (attempt ${event.attempt}): ${oneLine(event.reason)}`);
    case "loop.started":
      return `▶ ${event.node} ${dim(event.mode === "repeat" ? `up to ${event.max} iterations` : `${event.items} items`)}`;
    case "iteration.started":
      return dim(`  ${event.node} ${event.number}${event.item === undefined ? "" : ` ${shortened(oneLine(JSON.stringify(event.item)), 60)}`}`);
    case "iteration.ended":
      return `  ${event.node} ${event.number}: ${changes(event.diff) || "no change seen"} ${dim(duration(took))}`;
    case "stop.tested":
      return stopLine(event);
    case "gate.opened":
      return `${yellow("⏸ waiting for a person")}\n${indented(plain(event.message))}`;
    case "gate.answered":
      return `${event.decision === "approve" ? green("✔ approved") : red("✘ rejected")} by ${oneLine(event.by)}`;
    case "notice":
      return yellow(`  note: ${oneLine(event.message)}`);
    case "run.paused":
      return `${yellow("paused")} ${event.stop_reason === "gate" ? "for a person" : "for more time"}: until-green resume ${event.run}`;
    case "run.ended":
      return endLine(event);
    default:
      return undefined;
  }
}

function nodeLine({ label, status, reason }: Extract<ToldEvent, { type: "node.ended" }>, took: number): string {
  const why = reason === undefined || status === "completed" ? "" : `: ${oneLine(reason)}`;
  if (status === "completed") return `${green("✔")} ${label} ${dim(duration(took))}`;
  return status === "failed" ? `${red("✘")} ${label}${why}` : dim(`– ${label} ${status}${why}`);
}

function stopLine({ kind, verdict, because, tail }: Extract<ToldEvent, { type: "stop.tested" }>): string {
  const failing = tail === undefined ? undefined : failingTests(tail);
  const tests = failing === undefined ? "" : ` (${failing} failing)`;
  const colour = verdict === "done" ? green : verdict === "give-up" ? red : dim;
  return colour(`    ${kind}: ${oneLine(because)}${tests}`);
}

function endLine({ conclusion, stop_reason, because }: Extract<ToldEvent, { type: "run.ended" }>): string {
  const colour = conclusion === "success" ? green : conclusion === "failure" ? red : yellow;
  return `${colour(bold(conclusion))} ${stop_reason}${because === undefined ? "" : `: ${oneLine(because)}`}`;
}

const indented = (text: string) => text.replace(/^/gm, "    ");

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

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
    stream.write(`\r\u001b[2K${shortened(line, (stream.columns ?? 80) - 1)}`);
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
