import { afterCheck } from "../checks/after-check.ts";
import type { AttemptResult, RunEvent } from "../engine/run-events.ts";
import { noUsage, type Usage } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";
import { appendBounded, type BoundedList, emptyBoundedList, mapMatching, toArray } from "./bounded-list.ts";
import { truncate } from "./format.ts";
import type { IterationRow, LoopSummary, StopSeen } from "./run-status-schema.ts";

export type { IterationRow, LoopSummary, StopSeen };

export const sum = (a: Usage, b: Usage): Usage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cost_usd: a.cost_usd + b.cost_usd,
});

type Loops = BoundedList<LoopSummary>;
type Of<T extends RunEvent["type"]> = Extract<RunEvent, { readonly type: T }>;

/** The loops of a run after one more event. */
export function observeLoops(loops: Loops, event: RunEvent): Loops {
  switch (event.type) {
    case "loop.started":
      return appendBounded(loops, startedLoop(event));
    case "loop.ended":
      return changeLoop(loops, event.path, (loop) => ({
        ...loop,
        status: event.status,
        stopReason: event.stop_reason,
        iterations: event.iterations,
        ...(event.chosen === undefined ? {} : { chosen: event.chosen }),
      }));
    case "iteration.started":
      return changeLoop(withLoop(loops, event), loopOf(event), (loop) => startedIteration(loop, event));
    case "iteration.ended":
      return changeLoop(loops, loopOf(event), (loop) => endedIteration(loop, event));
    case "stop.tested":
      return testedStop(loops, event);
    case "agent.answered":
    case "agent.failed":
      return placesOf(event.path).reduce(
        (all, { loop, number }) =>
          changeRow(all, { loop, number }, (row) => ({ ...row, usage: sum(row.usage, event.usage) })),
        loops,
      );
    default:
      return loops;
  }
}

/** Moves the start of open iterations past a pause, which is not counted. */
export function skipPause(loops: Loops, ms: number): Loops {
  const later = (row: IterationRow): IterationRow => ({
    ...row,
    startedAt: new Date(Date.parse(row.startedAt) + ms).toISOString(),
  });
  return mapMatching(
    loops,
    (loop) => loop.status === "running",
    (loop) => ({ ...loop, rows: mapMatching(loop.rows, (row) => row.durationMs === undefined, later) }),
  );
}

/** A process that resumed the run may have missed the start of its loops. */
function withLoop(loops: Loops, event: Of<"iteration.started">): Loops {
  const path = loopOf(event);
  if (loops.left > 0 || toArray(loops).some((loop) => loop.path === path)) return loops;
  const mode = event.item === undefined ? "repeat" : "for-each";
  return appendBounded(loops, startedLoop({ path, node: event.node, mode }));
}

type LoopStart = Pick<Of<"loop.started">, "path" | "node" | "mode" | "max" | "items">;

function startedLoop(event: LoopStart): LoopSummary {
  return {
    path: event.path,
    node: event.node,
    mode: event.mode,
    most: event.max ?? event.items,
    status: "running",
    stopReason: undefined,
    iterations: 0,
    before: undefined,
    rows: emptyBoundedList,
  };
}

function startedIteration(loop: LoopSummary, event: Of<"iteration.started">): LoopSummary {
  const row: IterationRow = {
    number: event.number,
    item: event.item === undefined ? undefined : itemText(event.item),
    startedAt: event.at,
    durationMs: undefined,
    stops: [],
    diff: undefined,
    failing: undefined,
    snapshot: undefined,
    since: undefined,
    usage: noUsage,
  };
  return {
    ...loop,
    iterations: Math.max(loop.iterations, event.number),
    rows: appendBounded(loop.rows, row),
  };
}

function endedIteration(loop: LoopSummary, event: Of<"iteration.ended">): LoopSummary {
  const end = (row: IterationRow): IterationRow => ({
    ...row,
    durationMs: Math.max(0, Date.parse(event.at) - Date.parse(row.startedAt)),
    diff: event.diff,
    snapshot: event.snapshot,
    since: event.since,
    ...(event.attempt === undefined ? {} : attemptOf(event.attempt)),
  });
  return { ...loop, rows: mapMatching(loop.rows, (row) => row.number === event.number, end) };
}

const attemptOf = ({ green, stop_reason, failing, metric }: AttemptResult): Partial<IterationRow> => ({
  attempt: { green, stop_reason, ...(metric === undefined ? {} : { metric }) },
  failing,
});

function testedStop(loops: Loops, event: Of<"stop.tested">): Loops {
  const seen: StopSeen = {
    path: event.path,
    kind: event.kind,
    verdict: event.verdict,
    because: truncate(event.because, 300),
    failing:
      event.tests?.failed ??
      (event.tail === undefined ? undefined : afterCheck.get().failingCount(event.tail)),
    ...(event.tests === undefined ? {} : { tests: { ran: event.tests.ran, skipped: event.tests.skipped } }),
    ...(event.clean === undefined ? {} : { clean: event.clean }),
  };
  const address = event.path.replace(/\?[^?/]*$/, "");
  const [, loop = address, number = "0"] = /^(.*)#(\d+)$/.exec(address) ?? [];
  if (number === "0") return changeLoop(loops, loop, (loopSummary) => ({ ...loopSummary, before: seen }));
  return changeLoop(loops, loop, (loopSummary) => {
    const failing = seen.failing ?? (isGreen(seen) && hasCounts(loopSummary) ? 0 : undefined);
    const tested = (row: IterationRow): IterationRow => ({
      ...row,
      // A check that runs again replaces its earlier result.
      stops: [...row.stops.filter((stop) => stop.path !== seen.path), seen],
      failing: failing ?? row.failing,
    });
    return {
      ...loopSummary,
      rows: mapMatching(loopSummary.rows, (row) => row.number === Number(number), tested),
    };
  });
}

const isGreen = ({ kind, verdict }: StopSeen) => kind === "until-bash" && verdict === "done";

/** Whether this loop's check counts failing tests: some tools print no number when all pass. */
const hasCounts = ({ before, rows }: LoopSummary) =>
  [before, ...toArray(rows)].some((seen) => seen?.failing !== undefined);

interface IterationAddress {
  readonly loop: string;
  readonly number: number;
}

/** The iterations that contain a path, outermost first. */
function placesOf(path: string): readonly IterationAddress[] {
  return [...path.matchAll(/#(\d+)/g)].map((match) => ({
    loop: path.slice(0, match.index),
    number: Number(match[1]),
  }));
}

function loopOf(event: { readonly path: string; readonly number: number }): string {
  const end = `#${event.number}`;
  return event.path.endsWith(end) ? event.path.slice(0, -end.length) : event.path;
}

function changeLoop(loops: Loops, path: string, to: (loop: LoopSummary) => LoopSummary): Loops {
  return mapMatching(loops, (loop) => loop.path === path, to);
}

function changeRow(loops: Loops, place: IterationAddress, to: (row: IterationRow) => IterationRow): Loops {
  return changeLoop(loops, place.loop, (loop) => ({
    ...loop,
    rows: mapMatching(loop.rows, (row) => row.number === place.number, to),
  }));
}

const itemText = (item: Json) => truncate(typeof item === "string" ? item : JSON.stringify(item), 80);
