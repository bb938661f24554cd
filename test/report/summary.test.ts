import { describe, expect, test } from "vitest";
import type { Told } from "../../src/engine/told.ts";
import { listed } from "../../src/report/kept.ts";
import { addressed } from "../../src/report/messages.ts";
import { observe, startSummary, summarise } from "../../src/report/summary.ts";
import {
  greenRun,
  iteration,
  loopStarted,
  runEnded,
  runStarted,
  telling,
  usage,
  waitingRun,
} from "./telling.ts";

const gate = (path: string): Told => ({ type: "gate.opened", path, node: "fix", message: `about ${path}` });

test("a run that ended says how", () => {
  const { run, workflow, state, conclusion, stopReason, iterations, usage, output } = summarise(greenRun);
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
  const [loop] = listed(summarise(greenRun).loops);
  expect(loop).toMatchObject({ path: "/fix", status: "completed", stopReason: "until-bash", iterations: 3 });
  expect(loop?.before?.failing).toBe(7);
  expect(listed(loop?.rows ?? { first: [], left: 0, last: [] })).toMatchObject([
    { number: 1, durationMs: 3000, failing: 4, usage, diff: { files: 1 }, stops: [{ verdict: "go-on" }] },
    { number: 2, durationMs: 3000, failing: 1, snapshot: "22222222" },
    { number: 3, durationMs: 3000, failing: 0, stops: [{ kind: "until-bash", verdict: "done" }] },
  ]);
});

test("observing one event after another is the same as summarising all", () => {
  expect(greenRun.reduce(observe, startSummary())).toEqual(summarise(greenRun));
});

test("observing leaves the summary before as it was", () => {
  const before = summarise(greenRun.slice(0, 5));
  const copy = structuredClone(before);
  observe(before, greenRun[5] as (typeof greenRun)[number]);
  expect(before).toEqual(copy);
});

test("a summary is plain data", () => {
  const summary = summarise(greenRun);
  expect(structuredClone(summary)).toEqual(summary);
});

describe("gates", () => {
  test("are open from their opening to their answer, oldest first", () => {
    const answer: Told = {
      type: "gate.answered",
      path: "/a",
      node: "n",
      decision: "approve",
      by: "octocat",
      text: "",
    };
    const opened = telling(runStarted, gate("/a"), gate("/b"));
    expect(summarise(opened).gates.map(({ path }) => path)).toEqual(["/a", "/b"]);
    expect(summarise([...opened, ...telling(answer)]).gates.map(({ path }) => path)).toEqual(["/b"]);
  });

  test("are closed by the end of the run", () => {
    expect(summarise(telling(runStarted, gate("/a"), runEnded(0))).gates).toEqual([]);
  });

  test("leave the run paused until it is resumed", () => {
    const events = waitingRun("Go on?");
    expect(summarise(events)).toMatchObject({ state: "paused", stopReason: "gate" });
    const resumed = summarise([...events, ...telling({ type: "run.resumed", from_seq: 1 })]);
    expect(resumed).toMatchObject({ state: "running", stopReason: undefined });
  });
});

test("a pause does not count as time", () => {
  const paused: Told = { type: "run.paused", stop_reason: "gate", gates: [] };
  const resumed: Told = { type: "run.resumed", from_seq: 2 };
  const events = telling([0, runStarted], [10, paused], [5000, resumed], [5007, runEnded(0)]);
  expect(summarise(events).activeMs).toBe(17_000);
});

test("a time after a crash does not count either", () => {
  const events = telling([0, runStarted], [10, loopStarted], [5000, { type: "run.resumed", from_seq: 2 }]);
  expect(summarise(events).activeMs).toBe(10_000);
});

test("a check that is run again replaces what it said", () => {
  const tested = (verdict: "done" | "go-on"): Told => ({
    type: "stop.tested",
    path: "/fix#1?1",
    kind: "until-bash",
    verdict,
    because: "",
  });
  const started: Told = { type: "iteration.started", path: "/fix#1", node: "fix", number: 1 };
  const [loop] = summarise(telling(runStarted, loopStarted, started, tested("go-on"), tested("done"))).loops
    .first;
  expect(loop?.rows.first[0]?.stops).toMatchObject([{ verdict: "done" }]);
});

test("an inner loop's check before its first iteration is not the outer iteration's", () => {
  const inner: Told = { type: "loop.started", path: "/fix#1/in", node: "in", mode: "repeat" };
  const tested: Told = {
    type: "stop.tested",
    path: "/fix#1/in#0?1",
    kind: "until-bash",
    verdict: "go-on",
    because: "red",
    tail: "# fail 3",
  };
  const started: Told = { type: "iteration.started", path: "/fix#1", node: "fix", number: 1 };
  const { first } = summarise(telling(runStarted, loopStarted, started, inner, tested)).loops;
  expect(first.map((loop) => loop.before?.failing)).toEqual([undefined, 3]);
  expect(first[0]?.rows.first[0]?.stops).toEqual([]);
});

test("what an agent took counts for every iteration around it", () => {
  const events = telling(
    runStarted,
    loopStarted,
    { type: "iteration.started", path: "/fix#1", node: "fix", number: 1 },
    { type: "loop.started", path: "/fix#1/in", node: "in", mode: "for-each", items: 2 },
    { type: "iteration.started", path: "/fix#1/in#2", node: "in", number: 2, item: { name: "b" } },
    { type: "agent.answered", path: "/fix#1/in#2/work", text: "", usage },
  );
  const summary = summarise(events);
  expect(summary.loops.first.map((loop) => loop.rows.first[0]?.usage)).toEqual([usage, usage]);
  expect(summary.loops.first[1]?.rows.first[0]?.item).toBe('{"name":"b"}');
  expect(summary.usage).toEqual(usage);
});

test("a very long loop keeps its first 20 and its last 80 iterations", () => {
  const many = Array.from({ length: 1000 }, (_, at) => iteration(at + 1, 1)).flat();
  const [loop] = summarise(telling(runStarted, loopStarted, ...many)).loops.first;
  expect(loop?.iterations).toBe(1000);
  expect(loop?.rows.left).toBe(900);
  expect(loop?.rows.first.map((row) => row.number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect(loop?.rows.last.map((row) => row.number)).toEqual(Array.from({ length: 80 }, (_, at) => at + 921));
  expect(loop?.rows.last.at(-1)).toMatchObject({ durationMs: 3000, failing: 1 });
});

test("a very long output is kept by its ends", () => {
  const output = `start${"x".repeat(500_000)}end`;
  const summary = summarise(telling(runStarted, { ...runEnded(0), output } as Told));
  expect(summary.output.length).toBeLessThanOrEqual(32 * 1024);
  expect(summary.output).toMatch(/^start.*characters left out.*end$/s);
});

test("notices are kept in order", () => {
  const notice = (code: string): Told => ({ type: "notice", code, message: "m" });
  const { notices } = summarise(telling(runStarted, notice("A"), notice("B")));
  expect(listed(notices).map(({ code }) => code)).toEqual(["A", "B"]);
});

test("messages are kept in order, with what became of them", () => {
  const letter = { from: "a", to: "b", text: "hi" };
  const { messages } = summarise(
    telling(
      runStarted,
      { type: "message.sent", ...letter },
      { type: "message.sent", ...letter, to: "coordinator" },
      { type: "message.dropped", ...letter, reason: "b has ended" },
    ),
  );
  expect(listed(messages).map(addressed)).toEqual(["a to b (dropped: b has ended)", "a to coordinator"]);
});

test("of a run heard only from its middle on, what was heard is shown", () => {
  const [loop] = summarise(telling({ type: "run.resumed", from_seq: 9 }, ...iteration(4, 2))).loops.first;
  expect(loop).toMatchObject({ path: "/fix", iterations: 4, status: "running" });
  expect(loop?.rows.first).toMatchObject([{ number: 4, failing: 2 }]);
});
