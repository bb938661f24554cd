import { expect, test } from "vitest";
import {
  emit,
  endRun,
  type Operation,
  type Parallel,
  parallel,
  perform,
} from "../../src/engine/operation.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { RunEventBody } from "../../src/engine/run-events.ts";
import type { RunTotals } from "../../src/engine/run-totals.ts";
import { createScheduler } from "../../src/engine/scheduler.ts";

const done = { status: "completed", output: "" } as Outcome;
const named = (id: string) => ({ type: "node.skipped", path: id }) as unknown as RunEventBody;

/** Begins an operation; returns what it emitted, opened and ended with. */
function start(root: () => Operation<Outcome>) {
  const events: string[] = [];
  const open: string[] = [];
  const ends: Outcome[] = [];
  const scheduler = createScheduler({
    totals: {} as RunTotals,
    emit: (event) => events.push((event as { path: string }).path),
    open: ({ path }) => open.push(path),
    end: (outcome) => ends.push(outcome),
  });
  scheduler.begin(root());
  return { scheduler, events, open, ends };
}

function* ask(path: string): Operation<void> {
  yield* perform("timer", path, { ask: { ms: 1 } });
  yield* emit(named(path));
}

const branches = (...ids: string[]): Parallel<void>["branches"] =>
  ids.map((id) => ({ id, after: [], begin: () => ask(id) }));

test("a run ends once, whatever asks for its end afterwards", () => {
  const { scheduler, ends, open } = start(function* () {
    yield* perform("timer", "a", { ask: { ms: 1 } });
    return done;
  });
  expect(open).toEqual(["a"]);
  scheduler.resume("a", { value: undefined });
  scheduler.stop({ status: "cancelled" } as unknown as Outcome);
  expect(ends).toEqual([done]);
});

test("the end of a run names branches that never started, in file order, and none of those that did", () => {
  const { scheduler, events } = start(function* () {
    yield* parallel({ branches: branches("a", "b", "c"), atMost: 1, never: named });
    return done;
  });
  scheduler.stop(done);
  expect(events).toEqual(["b", "c"]);
});

test("the end of a run is silent about branches that were not needed in a group that is over", () => {
  const { scheduler, events } = start(function* () {
    yield* parallel({ branches: branches("a", "b"), atMost: 1, never: named, enough: () => true });
    yield* perform("timer", "after", { ask: { ms: 1 } });
    return yield* endRun(done);
  });
  scheduler.resume("a", { value: undefined });
  scheduler.stop(done);
  expect(events).toEqual(["a"]);
});
