import { parseLogEvent } from "../../../src/engine/log-events.ts";
import { replay } from "../../../src/engine/replay.ts";

/** What a replay of a log must not change: the events people saw, and what the run waits for. */
export function replayLog(lines: readonly string[]) {
  const session = replay(lines.map(parseLogEvent));
  const events = session.take();
  const end = events.find(({ type }) => type === "run.ended");
  return {
    ...(end?.type === "run.ended"
      ? {
          conclusion: end.conclusion,
          stop_reason: end.stop_reason,
          iterations: end.iterations,
          results: end.results,
        }
      : {}),
    needs: [...session.effects.values()].map(({ port, path }) => `${port} ${path}`),
    told: events.map((event) => ("path" in event ? `${event.type} ${event.path}` : event.type)),
  };
}
