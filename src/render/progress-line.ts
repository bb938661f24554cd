import type { RunEvent } from "../engine/run-events.ts";
import { whenText } from "../status/decisions.ts";
import { count, duration, reasonWords } from "../status/format.ts";
import { nounOf } from "../status/titles.ts";
import { oneLine, stripControlCharacters } from "./escape.ts";

/** Styles for highlighted text: colours on a terminal, nothing in a plain log. */
export type Paint = Readonly<Record<"dim" | "bold" | "green" | "red" | "yellow", (text: string) => string>>;

/** An event as a line for people; `undefined` for events that only programs need. `took` is in milliseconds. */
export function progressLine(event: RunEvent, took: number, paint: Paint = plainly): string | undefined {
  const { dim, yellow } = paint;
  switch (event.type) {
    case "run.started":
      return startLine(event, paint);
    case "run.resumed":
      return dim("resumed");
    case "node.started":
      return event.kind === "loop" || event.kind === "for-each" ? undefined : dim(`▶ ${event.label}`);
    case "node.ended":
      return nodeLine(event, took, paint);
    case "node.retried":
      return yellow(`  again (attempt ${event.attempt}): ${oneLine(event.reason)}`);
    case "loop.started":
      return `▶ ${event.node} ${dim(event.mode === "repeat" ? `up to ${count(event.max ?? 0, "iteration")}` : count(event.items ?? 0, nounOf[event.mode]))}`;
    case "gate.opened":
      return `${yellow("⏸ waiting for you")}\n${indented(stripControlCharacters(event.message))}`;
    case "gate.answered":
      return answerLine(event, paint);
    case "iteration.ended":
      return event.conflict === undefined
        ? undefined
        : yellow(`  note: ${oneLine(event.conflict)}: its work is left out`);
    case "notice":
      return yellow(
        `  note: ${event.file === undefined ? "" : `${event.file}:${event.line} `}${oneLine(event.message)}`,
      );
    case "run.paused":
      return pauseLine(event, paint);
    default:
      return undefined;
  }
}

/** Returns the duration of what an event ends, in milliseconds. Call it for every event. */
export function openStopwatch(): (event: RunEvent) => number {
  const started = new Map<string, number>();
  let last: number | undefined;
  let paused: number | undefined;
  return (event) => {
    const now = Date.parse(event.at);
    // Time during which no process drove the run does not count. A gate is answered before the run resumes.
    if (event.type === "run.paused") paused = now;
    if (event.type === "run.resumed") {
      const away = Math.max(0, now - (paused ?? last ?? now));
      for (const [path, at] of started) started.set(path, at + away);
      paused = undefined;
    }
    last = now;
    if (!("path" in event) || event.path === undefined) return 0;
    const at = Date.parse(event.at);
    if (event.type.endsWith(".started")) started.set(event.path, at);
    // Clocks can be set back.
    return Math.max(0, at - (started.get(event.path) ?? at));
  };
}

const asIs = (text: string) => text;
export const plainly: Paint = { dim: asIs, bold: asIs, green: asIs, red: asIs, yellow: asIs };

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { readonly type: T }>;

function startLine({ workflow, run, agent }: Of<"run.started">, { bold, dim }: Paint): string {
  return `${bold(oneLine(workflow))} ${dim(`run ${run}${agent === "" ? "" : ` · agent ${oneLine(agent)}`}`)}`;
}

function answerLine({ decision, by, at, text }: Of<"gate.answered">, { green, red }: Paint): string {
  const words = text === "" ? "" : `: ${oneLine(text)}`;
  const what = decision === "approve" ? green("✔ approved") : red("✘ rejected");
  return `${what} by ${oneLine(by)}, ${whenText(at)}${words}`;
}

function nodeLine(
  { label, status, reason }: Of<"node.ended">,
  took: number,
  { green, red, dim }: Paint,
): string {
  const why = reason === undefined || status === "completed" ? "" : `: ${oneLine(reason)}`;
  if (status === "completed") return `${green("✔")} ${label} ${dim(duration(took))}`;
  return status === "failed" ? `${red("✘")} ${label}${why}` : dim(`– ${label} ${status}${why}`);
}

function pauseLine(
  { run, stop_reason, gates, wake_at: at }: Of<"run.paused">,
  { yellow }: Paint,
): string | undefined {
  // The closing table is followed by the command that resumes the run.
  if (at !== undefined) return `${yellow("paused")} until ${at} (${reasonWords[stop_reason]})`;
  if (stop_reason !== "gate") return yellow("paused");
  // The text of a gate already ends with the commands that answer it.
  if (gates.length < 2) return undefined;
  const each = gates.map(({ path }) => `--gate ${path}`).join(" or ");
  return `${yellow("waiting for you")}: until-green approve ${run}, which answers the oldest of ${gates.length} gates; any other with ${each}`;
}

const indented = (text: string) => text.replace(/^/gm, "    ");
