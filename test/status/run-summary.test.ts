import { describe, expect, test } from "vitest";
import type { RunEventBody } from "../../src/engine/run-events.ts";
import { toArray } from "../../src/status/bounded-list.ts";
import { totals } from "../../src/status/headline.ts";
import { sum } from "../../src/status/loop-summary.ts";
import { addressed } from "../../src/status/messages.ts";
import { applyEvent, startSummary, summarizeEvents } from "../../src/status/run-summary.ts";
import {
  eventsOf,
  gateOpened,
  greenRun,
  iteration,
  loopStarted,
  runEnded,
  runStarted,
  usage,
  waitingRun,
} from "../render/run-events.ts";

const gate = (path: string) => gateOpened(path, `about ${path}`);

test("a run that ended says how", () => {
  const { run, workflow, state, conclusion, stopReason, iterations, usage, output } =
    summarizeEvents(greenRun);
  expect({ run, workflow, state, conclusion, stopReason, iterations, output }).toEqual({
    run: "fix-tests-7f3a",
    workflow: "fix-tests",
    state: "ended",
    conclusion: "success",
    stopReason: "until-bash",
    iterations: 3,
    output: "All green.",
  });
  expect(usage.input_tokens).toBe(3000);
});

test("each iteration is a row with its time, its stops, its changes and its failing tests", () => {
  const [loop] = toArray(summarizeEvents(greenRun).loops);
  expect(loop).toMatchObject({ path: "/fix", status: "completed", stopReason: "until-bash", iterations: 3 });
  expect(loop?.before?.failing).toBe(7);
  expect(toArray(loop?.rows ?? { first: [], left: 0, last: [] })).toMatchObject([
    { number: 1, durationMs: 3000, failing: 4, usage, diff: { files: 1 }, stops: [{ verdict: "go-on" }] },
    { number: 2, durationMs: 3000, failing: 1, snapshot: "22222222" },
    { number: 3, durationMs: 3000, failing: 0, stops: [{ kind: "until-bash", verdict: "done" }] },
  ]);
});

test("what a run cost is also said per test that it fixed, if there are several and it cost anything", () => {
  const summary = summarizeEvents(greenRun);
  const { cost_usd: cost } = summary.usage;
  expect(totals(summary).at(-1)).toBe(
    `$${(cost / 7).toFixed(2)} and ${(summary.activeMs / 7000).toFixed(1)} s per fixed test`,
  );
  expect(totals({ ...summary, usage: { ...summary.usage, cost_usd: 0 } }).join()).not.toContain(
    "per fixed test",
  );
});

test("observing one event after another is the same as summarising all", () => {
  expect(greenRun.reduce(applyEvent, startSummary())).toEqual(summarizeEvents(greenRun));
});

test("observing leaves the summary before as it was", () => {
  const before = summarizeEvents(greenRun.slice(0, 5));
  const copy = structuredClone(before);
  applyEvent(before, greenRun[5] as (typeof greenRun)[number]);
  expect(before).toEqual(copy);
});

test("a summary is plain data", () => {
  const summary = summarizeEvents(greenRun);
  expect(structuredClone(summary)).toEqual(summary);
});

describe("gates", () => {
  test("are open from their opening to their answer, oldest first", () => {
    const answer: RunEventBody = {
      type: "gate.answered",
      path: "/a",
      node: "n",
      decision: "approve",
      by: "octocat",
      text: "",
    };
    const opened = eventsOf(runStarted, gate("/a"), gate("/b"));
    expect(summarizeEvents(opened).gates.map(({ path }) => path)).toEqual(["/a", "/b"]);
    expect(summarizeEvents([...opened, ...eventsOf(answer)]).gates.map(({ path }) => path)).toEqual(["/b"]);
  });

  test("are closed by the end of the run", () => {
    expect(summarizeEvents(eventsOf(runStarted, gate("/a"), runEnded(0))).gates).toEqual([]);
  });

  test("leave the run paused until it is resumed", () => {
    const events = waitingRun("Go on?");
    expect(summarizeEvents(events)).toMatchObject({ state: "paused", stopReason: "gate" });
    const resumed = summarizeEvents([...events, ...eventsOf({ type: "run.resumed", from_seq: 1 })]);
    expect(resumed).toMatchObject({ state: "running", stopReason: undefined });
  });
});

test("a pause does not count as time", () => {
  const paused: RunEventBody = { type: "run.paused", stop_reason: "gate", gates: [] };
  const resumed: RunEventBody = { type: "run.resumed", from_seq: 2 };
  const events = eventsOf([0, runStarted], [10, paused], [5000, resumed], [5007, runEnded(0)]);
  expect(summarizeEvents(events).activeMs).toBe(17_000);
});

test("a time after a crash does not count either", () => {
  const events = eventsOf([0, runStarted], [10, loopStarted], [5000, { type: "run.resumed", from_seq: 2 }]);
  expect(summarizeEvents(events).activeMs).toBe(10_000);
});

test("a check that is run again replaces what it said", () => {
  const tested = (verdict: "done" | "go-on"): RunEventBody => ({
    type: "stop.tested",
    path: "/fix#1?1",
    kind: "until-bash",
    verdict,
    because: "",
  });
  const started: RunEventBody = { type: "iteration.started", path: "/fix#1", node: "fix", number: 1 };
  const [loop] = summarizeEvents(eventsOf(runStarted, loopStarted, started, tested("go-on"), tested("done")))
    .loops.first;
  expect(loop?.rows.first[0]?.stops).toMatchObject([{ verdict: "done" }]);
});

test.each([
  ["not ok 1 - adds", 0],
  ["it does not work", undefined],
])(
  "a check that passes without a number leaves no test failing if it has counted before: %s",
  (tail, left) => {
    const tested = (number: number, more: { verdict: "done" | "go-on"; tail: string }): RunEventBody => ({
      type: "stop.tested",
      path: `/fix#${number}?1`,
      kind: "until-bash",
      because: "",
      ...more,
    });
    const started = (number: number): RunEventBody => ({
      type: "iteration.started",
      path: `/fix#${number}`,
      node: "fix",
      number,
    });
    const events = eventsOf(
      runStarted,
      loopStarted,
      started(1),
      tested(1, { verdict: "go-on", tail }),
      started(2),
      tested(2, { verdict: "done", tail: "fine" }),
    );
    expect(summarizeEvents(events).loops.first[0]?.rows.first[1]?.failing).toBe(left);
  },
);

test("an inner loop's check before its first iteration is not the outer iteration's", () => {
  const inner: RunEventBody = { type: "loop.started", path: "/fix#1/in", node: "in", mode: "repeat" };
  const tested: RunEventBody = {
    type: "stop.tested",
    path: "/fix#1/in#0?1",
    kind: "until-bash",
    verdict: "go-on",
    because: "red",
    tail: "# fail 3",
  };
  const started: RunEventBody = { type: "iteration.started", path: "/fix#1", node: "fix", number: 1 };
  const { first } = summarizeEvents(eventsOf(runStarted, loopStarted, started, inner, tested)).loops;
  expect(first.map((loop) => loop.before?.failing)).toEqual([undefined, 3]);
  expect(first[0]?.rows.first[0]?.stops).toEqual([]);
});

test("what an agent took counts for every iteration around it", () => {
  const events = eventsOf(
    runStarted,
    loopStarted,
    { type: "iteration.started", path: "/fix#1", node: "fix", number: 1 },
    { type: "loop.started", path: "/fix#1/in", node: "in", mode: "for-each", items: 2 },
    { type: "iteration.started", path: "/fix#1/in#2", node: "in", number: 2, item: { name: "b" } },
    { type: "agent.failed", path: "/fix#1/in#2/work", because: "too busy", usage },
    { type: "agent.answered", path: "/fix#1/in#2/work", text: "", usage },
  );
  const summary = summarizeEvents(events);
  const twice = sum(usage, usage);
  expect(summary.loops.first.map((loop) => loop.rows.first[0]?.usage)).toEqual([twice, twice]);
  expect(summary.loops.first[1]?.rows.first[0]?.item).toBe('{"name":"b"}');
  expect(summary.usage).toEqual(twice);
});

test("a very long loop keeps its first 20 and its last 80 iterations", () => {
  const many = Array.from({ length: 1000 }, (_, at) => iteration(at + 1, 1)).flat();
  const [loop] = summarizeEvents(eventsOf(runStarted, loopStarted, ...many)).loops.first;
  expect(loop?.iterations).toBe(1000);
  expect(loop?.rows.left).toBe(900);
  expect(loop?.rows.first.map((row) => row.number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect(loop?.rows.last.map((row) => row.number)).toEqual(Array.from({ length: 80 }, (_, at) => at + 921));
  expect(loop?.rows.last.at(-1)).toMatchObject({ durationMs: 3000, failing: 1 });
});

test("a very long output is kept by its ends", () => {
  const output = `start${"x".repeat(500_000)}end`;
  const summary = summarizeEvents(eventsOf(runStarted, { ...runEnded(0), output } as RunEventBody));
  expect(summary.output.length).toBeLessThanOrEqual(32 * 1024);
  expect(summary.output).toMatch(/^start.*characters left out.*end$/s);
});

test("notices are kept in order", () => {
  const notice = (code: string): RunEventBody => ({ type: "notice", code, message: "m" });
  const { notices } = summarizeEvents(eventsOf(runStarted, notice("A"), notice("B")));
  expect(toArray(notices).map(({ code }) => code)).toEqual(["A", "B"]);
});

test("messages are kept in order, with what became of them", () => {
  const letter = { from: "a", to: "b", text: "hi" };
  const { messages } = summarizeEvents(
    eventsOf(
      runStarted,
      { type: "message.sent", ...letter },
      { type: "message.sent", ...letter, to: "coordinator" },
      { type: "message.dropped", ...letter, reason: "b has ended" },
    ),
  );
  expect(toArray(messages).map(addressed)).toEqual(["a to b (dropped: b has ended)", "a to coordinator"]);
});

test("of a run seen only from its middle on, that part is shown", () => {
  const [loop] = summarizeEvents(eventsOf({ type: "run.resumed", from_seq: 9 }, ...iteration(4, 2))).loops
    .first;
  expect(loop).toMatchObject({ path: "/fix", iterations: 4, status: "running" });
  expect(loop?.rows.first).toMatchObject([{ number: 4, failing: 2 }]);
});

test("a pause in the middle of an iteration is not its time", () => {
  const [started, , tested, ended] = iteration(1, 2) as RunEventBody[];
  const events = eventsOf(
    runStarted,
    loopStarted,
    [10, started as RunEventBody],
    [12, tested as RunEventBody],
    [13, { type: "run.paused", stop_reason: "gate", gates: [] }],
    [100, { type: "run.resumed", from_seq: 5 }],
    [101, ended as RunEventBody],
  );
  const [loop] = toArray(summarizeEvents(events).loops);
  expect(loop && toArray(loop.rows)[0]?.durationMs).toBe(4_000);
});
