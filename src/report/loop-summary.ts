import type { Diff, NodeStatus, StopReason, ToldEvent } from "../engine/told.ts";
import type { Usage } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";
import { failingTests } from "./failing.ts";
import { change, type Kept, keep, keptNone, listed } from "./kept.ts";
import { cut } from "./words.ts";

/** One loop of a run, as people read it. */
export interface LoopSummary {
  readonly path: string;
  readonly node: string;
  readonly mode: "repeat" | "for-each";
  /** The most iterations allowed, or the number of items. */
  readonly most: number | undefined;
  readonly status: "running" | NodeStatus;
  readonly stopReason: StopReason | undefined;
  readonly iterations: number;
  /** What the check said before the first iteration, where it was asked. */
  readonly before: StopSeen | undefined;
  readonly rows: Kept<IterationRow>;
}

export interface IterationRow {
  readonly number: number;
  readonly item: string | undefined;
  readonly startedAt: string;
  readonly durationMs: number | undefined;
  readonly stops: readonly StopSeen[];
  readonly diff: Diff | undefined;
  /** Failing tests after the iteration, where its check told. */
  readonly failing: number | undefined;
  readonly snapshot: string | undefined;
  /** The snapshot it began from. */
  readonly since: string | undefined;
  readonly usage: Usage;
}

export interface StopSeen {
  readonly path: string;
  readonly kind: StopReason;
  readonly verdict: "done" | "give-up" | "go-on";
  readonly because: string;
  readonly failing: number | undefined;
}

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

export const sum = (a: Usage, b: Usage): Usage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cost_usd: a.cost_usd + b.cost_usd,
});

type Loops = Kept<LoopSummary>;
type Of<T extends ToldEvent["type"]> = Extract<ToldEvent, { readonly type: T }>;

/** What the loops of a run look like after one more event. */
export function observeLoops(loops: Loops, event: ToldEvent): Loops {
  switch (event.type) {
    case "loop.started":
      return keep(loops, startedLoop(event));
    case "loop.ended":
      return changeLoop(loops, event.path, (loop) => ({
        ...loop,
        status: event.status,
        stopReason: event.stop_reason,
        iterations: event.iterations,
      }));
    case "iteration.started":
      return changeLoop(withLoop(loops, event), loopOf(event), (loop) => startedIteration(loop, event));
    case "iteration.ended":
      return changeLoop(loops, loopOf(event), (loop) => endedIteration(loop, event));
    case "stop.tested":
      return testedStop(loops, event);
    case "agent.answered":
      return placesOf(event.path).reduce(
        (all, { loop, number }) =>
          changeRow(all, { loop, number }, (row) => ({ ...row, usage: sum(row.usage, event.usage) })),
        loops,
      );
    default:
      return loops;
  }
}

/** Of a resumed run one may have heard only the rest: its loops had started before. */
function withLoop(loops: Loops, event: Of<"iteration.started">): Loops {
  const path = loopOf(event);
  if (loops.left > 0 || listed(loops).some((loop) => loop.path === path)) return loops;
  const mode = event.item === undefined ? "repeat" : "for-each";
  return keep(loops, startedLoop({ path, node: event.node, mode }));
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
    rows: keptNone,
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
  return { ...loop, iterations: Math.max(loop.iterations, event.number), rows: keep(loop.rows, row) };
}

function endedIteration(loop: LoopSummary, event: Of<"iteration.ended">): LoopSummary {
  const end = (row: IterationRow): IterationRow => ({
    ...row,
    durationMs: Math.max(0, Date.parse(event.at) - Date.parse(row.startedAt)),
    diff: event.diff,
    snapshot: event.snapshot,
    since: event.since,
  });
  return { ...loop, rows: change(loop.rows, (row) => row.number === event.number, end) };
}

function testedStop(loops: Loops, event: Of<"stop.tested">): Loops {
  const seen: StopSeen = {
    path: event.path,
    kind: event.kind,
    verdict: event.verdict,
    because: cut(event.because, 300),
    failing: event.tail === undefined ? undefined : failingTests(event.tail),
  };
  const address = event.path.replace(/\?[^?/]*$/, "");
  const [, loop = address, number = "0"] = /^(.*)#(\d+)$/.exec(address) ?? [];
  if (number === "0") return changeLoop(loops, loop, (found) => ({ ...found, before: seen }));
  return changeRow(loops, { loop, number: Number(number) }, (row) => ({
    ...row,
    // A check that is run again replaces what it said before.
    stops: [...row.stops.filter((stop) => stop.path !== seen.path), seen],
    failing: seen.failing ?? row.failing,
  }));
}

interface Place {
  readonly loop: string;
  readonly number: number;
}

/** The iterations a path lies in, outermost first. */
function placesOf(path: string): readonly Place[] {
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
  return change(loops, (loop) => loop.path === path, to);
}

function changeRow(loops: Loops, place: Place, to: (row: IterationRow) => IterationRow): Loops {
  return changeLoop(loops, place.loop, (loop) => ({
    ...loop,
    rows: change(loop.rows, (row) => row.number === place.number, to),
  }));
}

const itemText = (item: Json) => cut(typeof item === "string" ? item : JSON.stringify(item), 80);
