import type { RunEvent } from "../engine/run-events.ts";

/** True if this event ends the work at this path. */
export function isOver(path: string, event: RunEvent): boolean {
  if (event.type === "run.paused" || event.type === "run.ended") return true;
  if (!("path" in event) || event.path === undefined) return false;
  if (event.type === "agent.answered" || event.type === "stop.tested" || event.type === "node.retried")
    return event.path === path;
  return (
    event.type.endsWith(".ended") &&
    (path === event.path || (/^[/#?!]/.test(path.slice(event.path.length)) && path.startsWith(event.path)))
  );
}
