import { parseLogEvent } from "../engine/log-events.ts";

/** How often a run paused because its time was up, since the last decision by a person. */
export function continuations(lines: readonly string[]): number {
  let count = 0;
  for (const line of lines) {
    // Most lines are long and match neither: skip them without parsing.
    if (!/"run\.(paused|decided|messaged|extended)"/.test(line)) continue;
    const event = parseLogEvent(line);
    if (event.type === "run.paused" && event.stop_reason === "time-limit") count += 1;
    if (resets.has(event.type)) count = 0;
  }
  return count;
}

const resets: ReadonlySet<string> = new Set(["run.decided", "run.messaged", "run.extended"]);
