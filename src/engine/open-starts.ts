import type { Outcome } from "./outcome.ts";
import type { StopReason, Told } from "./told.ts";

/** Keeps what has started and not ended, so that every start gets its one end, and how the loops went. */
export interface OpenStarts {
  follow(event: Told): void;
  /** The ends of all that a sudden end of the run leaves open, innermost first. */
  closings(outcome: Outcome): readonly Told[];
  /** Why the last loop that ended did. */
  lastLoop(): StopReason | undefined;
}

type Started = Extract<Told, { type: "node.started" | "loop.started" | "iteration.started" }>;

export function openStarts(): OpenStarts {
  const open = new Map<string, Started>();
  const iterations = new Map<string, number>();
  let lastLoop: StopReason | undefined;
  return {
    follow(event) {
      if (isStart(event)) open.set(keyOf(event), event);
      else if (isEnd(event)) open.delete(keyOf(event));
      if (event.type === "iteration.started") {
        const loop = loopOf(event.path);
        iterations.set(loop, (iterations.get(loop) ?? 0) + 1);
      }
      if (event.type === "loop.ended") {
        // A loop with nothing to do says nothing of a run in which another one worked.
        if (event.stop_reason !== "nothing-to-do" || lastLoop === undefined) lastLoop = event.stop_reason;
        iterations.delete(event.path);
      }
    },
    closings(outcome) {
      const reason = outcome.status === "completed" ? "the run ended" : outcome.because;
      return [...open.values()].reverse().map((start) => closingOf(start, { iterations, reason }));
    },
    lastLoop: () => lastLoop,
  };
}

const isStart = (event: Told): event is Started =>
  event.type === "node.started" || event.type === "loop.started" || event.type === "iteration.started";

const isEnd = (event: Told) =>
  event.type === "node.ended" || event.type === "loop.ended" || event.type === "iteration.ended";

const keyOf = (event: { readonly type: string; readonly path: string }) =>
  `${event.type.slice(0, event.type.indexOf("."))} ${event.path}`;

const loopOf = (iteration: string) => iteration.slice(0, iteration.lastIndexOf("#"));

interface Closing {
  readonly iterations: ReadonlyMap<string, number>;
  readonly reason: string;
}

function closingOf(start: Started, { iterations, reason }: Closing): Told {
  const { path, node } = start;
  switch (start.type) {
    case "node.started":
      return { type: "node.ended", path, node, label: start.label, status: "cancelled", output: "", reason };
    case "loop.started": {
      const done = iterations.get(path) ?? 0;
      return {
        type: "loop.ended",
        path,
        node,
        status: "cancelled",
        stop_reason: "cancelled",
        iterations: done,
      };
    }
    case "iteration.started":
      return {
        type: "iteration.ended",
        path,
        node,
        number: start.number,
        ...(start.item === undefined ? {} : { item: start.item }),
        output: "",
      };
  }
}
