import { isCommandEvent } from "../engine/command-events.ts";
import { type LogEvent, parseLogEvent } from "../engine/log-events.ts";
import type { Tip } from "../stores/rest/tip.ts";

/**
 * Commands since the run's last job wrote to the record; the next job records them first. The app keeps them at the
 * tip; those that others wrote are read from the last lines.
 */
export function commandsOf({ state, lines }: Tip): readonly LogEvent[] {
  const kept = state["commands"];
  if (Array.isArray(kept)) return kept.flatMap((line) => wordIn(line) ?? []);
  const since = lines.findLastIndex((line) => wordIn(line) === undefined) + 1;
  return lines.slice(since).flatMap((line) => wordIn(line) ?? []);
}

/** The commands to keep at the tip, with more added. */
export const keptCommands = (tip: Tip, more: readonly LogEvent[]): readonly string[] =>
  [...commandsOf(tip), ...more].slice(-mostKept).map((event) => JSON.stringify(shortened(event)));

const mostKept = 10;

/** Only who gave which kind of command; the full text is in the log. */
function shortened(event: LogEvent): LogEvent {
  if (event.type === "run.cancelled") return { ...event, because: event.because.slice(0, 200) };
  return "text" in event ? { ...event, text: "" } : event;
}

/** An unreadable line is ignored here; the job refuses it. */
function wordIn(line: unknown): LogEvent | undefined {
  try {
    const event = parseLogEvent(String(line));
    return isCommandEvent(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
