import type { ToldEvent } from "../engine/told.ts";
import { oneLine, plain } from "./escape.ts";
import { failingTests } from "./failing.ts";
import { changes, duration, shortened } from "./words.ts";

/** How a place shows what matters: colours on a terminal, nothing in a plain log. */
export type Paint = Readonly<Record<"dim" | "bold" | "green" | "red" | "yellow", (text: string) => string>>;

/** What an event is to people; `undefined` for those that only programs need. `took` is in milliseconds. */
export function progressLine(event: ToldEvent, took: number, paint: Paint = plainly): string | undefined {
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
      return `▶ ${event.node} ${dim(event.mode === "repeat" ? `up to ${event.max} iterations` : `${event.items} items`)}`;
    case "iteration.started":
      return dim(
        `  ${event.node} ${event.number}${event.item === undefined ? "" : ` ${shortened(oneLine(JSON.stringify(event.item)), 60)}`}`,
      );
    case "iteration.ended":
      return `  ${event.node} ${event.number}: ${changes(event.diff) || "no change seen"} ${dim(duration(took))}`;
    case "stop.tested":
      return stopLine(event, paint);
    case "gate.opened":
      return `${yellow("⏸ waiting for a person")}\n${indented(plain(event.message))}`;
    case "gate.answered":
      return `${event.decision === "approve" ? paint.green("✔ approved") : paint.red("✘ rejected")} by ${oneLine(event.by)}`;
    case "notice":
      return yellow(
        `  note: ${event.file === undefined ? "" : `${event.file}:${event.line} `}${oneLine(event.message)}`,
      );
    case "run.paused":
      return pauseLine(event, paint);
    case "run.ended":
      return endLine(event, paint);
    default:
      return undefined;
  }
}

/** Says at each event how long the thing it ends had taken, in milliseconds; to be asked at every event. */
export function openStopwatch(): (event: ToldEvent) => number {
  const started = new Map<string, number>();
  return (event) => {
    if (!("path" in event) || event.path === undefined) return 0;
    const at = Date.parse(event.at);
    if (event.type.endsWith(".started")) started.set(event.path, at);
    // Clocks are set back.
    return Math.max(0, at - (started.get(event.path) ?? at));
  };
}

const asIs = (text: string) => text;
const plainly: Paint = { dim: asIs, bold: asIs, green: asIs, red: asIs, yellow: asIs };

type Of<T extends ToldEvent["type"]> = Extract<ToldEvent, { readonly type: T }>;

function startLine({ workflow, run, agent }: Of<"run.started">, { bold, dim }: Paint): string {
  return `${bold(oneLine(workflow))} ${dim(`run ${run}${agent === "" ? "" : ` · agent ${oneLine(agent)}`}`)}`;
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

function stopLine({ kind, verdict, because, tail }: Of<"stop.tested">, { green, red, dim }: Paint): string {
  const failing = tail === undefined ? undefined : failingTests(tail);
  const tests = failing === undefined ? "" : ` (${failing} failing)`;
  const colour = verdict === "done" ? green : verdict === "give-up" ? red : dim;
  return colour(`    ${kind}: ${oneLine(because)}${tests}`);
}

function pauseLine({ run, stop_reason, gates }: Of<"run.paused">, { yellow }: Paint): string {
  if (stop_reason !== "gate") return `${yellow("paused")} for more time: until-green resume ${run}`;
  const first = `${yellow("paused")} for a person: until-green approve ${run}`;
  if (gates.length < 2) return first;
  const each = gates.map(({ path }) => `--gate ${path}`).join(" or ");
  return `${first}, which answers the oldest of ${gates.length} gates; any other with ${each}`;
}

function endLine(
  { conclusion, stop_reason, because }: Of<"run.ended">,
  { green, red, yellow, bold }: Paint,
): string {
  const colour = conclusion === "success" ? green : conclusion === "failure" ? red : yellow;
  return `${colour(bold(conclusion))} ${stop_reason}${because === undefined ? "" : `: ${oneLine(because)}`}`;
}

const indented = (text: string) => text.replace(/^/gm, "    ");
