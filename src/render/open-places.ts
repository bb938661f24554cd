import type { RunEvent } from "../engine/run-events.ts";
import { toArray } from "../status/bounded-list.ts";
import type { Summary } from "../status/run-summary.ts";
import { titleOf } from "../status/titles.ts";
import { oneLine } from "./escape.ts";
import { isOver } from "./is-over.ts";

interface OpenPlace {
  readonly title: string;
  /** When it started, or when the run was resumed. */
  readonly since: string;
}

/**
 * The loops and iterations that are open. A check may print nothing for minutes, and a judge or a snapshot takes time:
 * then people see the innermost of them.
 */
export interface OpenPlaces {
  /** `summary` is the run's summary after this event, or after a later one. */
  follow(event: RunEvent, summary: Summary): void;
  innermost(): OpenPlace | undefined;
}

export function openPlaces(): OpenPlaces {
  const open = new Map<string, OpenPlace>();
  const close = (event: RunEvent) => {
    for (const path of open.keys()) if (isOver(path, event)) open.delete(path);
  };
  return {
    follow(event, { loops }) {
      const { type, at: since } = event;
      if (type === "loop.started" || type === "iteration.started")
        open.set(event.path, { title: oneLine(titleOf(event.path, toArray(loops))), since });
      if (type === "run.resumed") for (const [path, place] of open) open.set(path, { ...place, since });
      if (type.endsWith(".ended")) close(event);
    },
    innermost() {
      const paths = [...open.keys()];
      // An answer starts an iteration before the events of the loop around it are read.
      const holdsNone = (path: string) => !paths.some((other) => /^[#/]/.test(rest(path, other)));
      return open.get(paths.findLast(holdsNone) ?? "");
    },
  };
}

/** What follows `path` in a path inside it; else empty. */
const rest = (path: string, other: string) => (other.startsWith(path) ? other.slice(path.length) : "");
