import { defined } from "../ports/defined.ts";
import type { ReviewReason } from "../ports/review-reason.ts";
import type { Outcome } from "./outcome.ts";
import type { RunEventBody, StopReason } from "./run-events.ts";

/** Tracks what has started and not ended, so that every start gets exactly one end. Also tracks how loops ended. */
export interface OpenSpans {
  follow(event: RunEventBody): void;
  /** End events for everything left open when the run ends suddenly, innermost first. */
  closings(outcome: Outcome): readonly RunEventBody[];
  /** Why the last loop ended, and why a person should look at the work of the loops. */
  loopEnds(): { readonly lastLoop: StopReason | undefined; readonly review: readonly ReviewReason[] };
}

type Started = Extract<RunEventBody, { type: "node.started" | "loop.started" | "iteration.started" }>;

export function createOpenSpans(): OpenSpans {
  const open = new Map<string, Started>();
  const iterations = new Map<string, number>();
  const reviews = new Map<string, readonly ReviewReason[]>();
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
        // A loop with nothing to do does not hide the stop reason of a loop that did work.
        if (event.stop_reason !== "nothing-to-do" || lastLoop === undefined) lastLoop = event.stop_reason;
        iterations.delete(event.path);
        noteReview(reviews, event);
      }
    },
    closings(outcome) {
      const reason = outcome.status === "completed" ? "the run ended" : outcome.because;
      return [...open.values()].reverse().map((start) => closingEvent(start, { iterations, reason }));
    },
    loopEnds: () => ({ lastLoop, review: [...reviews.values()].flat() }),
  };
}

/** Of several attempts, only the one that is kept counts. */
function noteReview(
  reviews: Map<string, readonly ReviewReason[]>,
  { path, chosen, review = [] }: Extract<RunEventBody, { type: "loop.ended" }>,
): void {
  const attempts =
    chosen === undefined ? [] : [...reviews.keys()].filter((key) => key.startsWith(`${path}#`));
  for (const attempt of attempts) reviews.delete(attempt);
  reviews.set(path, review);
}

const isStart = (event: RunEventBody): event is Started =>
  event.type === "node.started" || event.type === "loop.started" || event.type === "iteration.started";

const isEnd = (event: RunEventBody) =>
  event.type === "node.ended" || event.type === "loop.ended" || event.type === "iteration.ended";

const keyOf = (event: { readonly type: string; readonly path: string }) =>
  `${event.type.slice(0, event.type.indexOf("."))} ${event.path}`;

const loopOf = (iteration: string) => iteration.slice(0, iteration.lastIndexOf("#"));

interface Closing {
  readonly iterations: ReadonlyMap<string, number>;
  readonly reason: string;
}

function closingEvent(start: Started, { iterations, reason }: Closing): RunEventBody {
  const { path, node } = start;
  switch (start.type) {
    case "node.started":
      return { type: "node.ended", path, node, label: start.label, status: "cancelled", output: "", reason };
    case "loop.started": {
      const end = { status: "cancelled", stop_reason: "cancelled" } as const;
      return { type: "loop.ended", path, node, ...end, iterations: iterations.get(path) ?? 0 };
    }
    case "iteration.started": {
      const { number, item } = start;
      return { type: "iteration.ended", path, node, number, ...defined({ item }), output: "" };
    }
  }
}
