import { readEvent } from "../engine/event.ts";

/** How often a run rested because its time was up, since a person last said something about it. */
export function continuations(lines: readonly string[]): number {
  let count = 0;
  for (const line of lines) {
    // Most lines are long and about neither.
    if (!/"run\.(paused|decided|messaged)"/.test(line)) continue;
    const event = readEvent(line);
    if (event.type === "run.paused" && event.stop_reason === "time-limit") count += 1;
    if (event.type === "run.decided" || event.type === "run.messaged") count = 0;
  }
  return count;
}
