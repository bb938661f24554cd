import { commandEventTypes, isCommandEvent } from "../engine/command-events.ts";
import { parseLogEvent } from "../engine/log-events.ts";

/** How often a run paused because its time was up, since the last decision by a person. */
export function continuations(lines: readonly string[]): number {
  let count = 0;
  for (const line of lines) {
    // Most lines are long and match neither: skip them without parsing.
    if (!counted.test(line)) continue;
    const event = parseLogEvent(line);
    if (event.type === "run.paused" && event.stop_reason === "time-limit") count += 1;
    if (isCommandEvent(event)) count = 0;
  }
  return count;
}

const counted = new RegExp(`"(run.paused|${commandEventTypes.join("|")})"`);
