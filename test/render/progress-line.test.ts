import { expect, test } from "vitest";
import type { RunEventBody } from "../../src/engine/run-events.ts";
import { openStopwatch, progressLine } from "../../src/render/progress-line.ts";
import { eventsOf, iteration, loopStarted, runStarted } from "./run-events.ts";

const line = (events: RunEventBody) =>
  progressLine(eventsOf(events)[0] as ReturnType<typeof eventsOf>[number], 1500);

test.each<readonly [RunEventBody, string | undefined]>([
  [runStarted, "fix-tests run fix-tests-7f3a · agent claude"],
  [
    { type: "run.started", workflow: "a\u001b[31m\nb", dialect: "native", message: "", agent: "" },
    "a b run fix-tests-7f3a",
  ],
  [{ type: "run.started", workflow: "w", dialect: "native", message: "", agent: "" }, "w run fix-tests-7f3a"],
  [loopStarted, "▶ fix up to 10 iterations"],
  [{ type: "node.ended", path: "/a", node: "a", label: "a", status: "completed", output: "" }, "✔ a 1.5 s"],
  [
    {
      type: "node.ended",
      path: "/a",
      node: "a",
      label: "a",
      status: "failed",
      output: "",
      reason: "no\n::error::x",
    },
    "✘ a: no ::error::x",
  ],
  [
    { type: "run.paused", stop_reason: "rate-limit", gates: [], wake_at: "2026-11-24T05:00:00.000Z" },
    "paused until 2026-11-24T05:00:00.000Z (the provider's rate limit; it continues later)",
  ],
  [
    {
      type: "agent.answered",
      path: "/a",
      text: "hi",
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    },
    undefined,
  ],
])("people read of %j: %s", (expected, shown) => {
  expect(line(expected)).toBe(shown);
});

test("what a place paints is painted", () => {
  const tag = (name: string) => (text: string) => `<${name}>${text}`;
  const paint = { dim: tag("d"), bold: tag("b"), green: tag("g"), red: tag("r"), yellow: tag("y") };
  const [event] = eventsOf({
    type: "node.ended",
    path: "/a",
    node: "a",
    label: "a",
    status: "completed",
    output: "",
  });
  expect(event && progressLine(event, 0, paint)).toBe("<g>✔ a <d>0.0 s");
});

test("a stopwatch says how long what ended had taken", () => {
  const timeOf = openStopwatch();
  const [started, , , ended] = iteration(1, 0);
  const events = eventsOf(runStarted, [5, started as RunEventBody], [7, ended as RunEventBody]);
  expect(events.map(timeOf)).toEqual([0, 0, 2000]);
});

test("a clock that was set back takes no time away", () => {
  const timeOf = openStopwatch();
  const [started, , , ended] = iteration(1, 0);
  const events = eventsOf(runStarted, [7, started as RunEventBody], [5, ended as RunEventBody]);
  expect(events.map(timeOf)).toEqual([0, 0, 0]);
});

test("time in which no process drove the run does not count", () => {
  const timeOf = openStopwatch();
  const [started, , , ended] = iteration(1, 0);
  const paused: RunEventBody = { type: "run.paused", stop_reason: "time-limit", gates: [] };
  const resumed: RunEventBody = { type: "run.resumed", from_seq: 3 };
  const events = eventsOf(
    runStarted,
    [5, started as RunEventBody],
    [7, paused],
    [100, resumed],
    [101, ended as RunEventBody],
  );
  expect(events.map(timeOf).at(-1)).toBe(3000);
});

test("time in which a gate waited for its answer does not count", () => {
  const timeOf = openStopwatch();
  const [started, , , ended] = iteration(1, 0);
  const gates = [{ path: "/fix#1!gate", node: "fix", message: "", question: "" }];
  const events = eventsOf(
    runStarted,
    [5, started as RunEventBody],
    [7, { type: "run.paused", stop_reason: "gate", gates }],
    [
      100,
      { type: "gate.answered", path: "/fix#1!gate", node: "fix", decision: "approve", by: "ada", text: "" },
    ],
    [100, { type: "run.resumed", from_seq: 4 }],
    [101, ended as RunEventBody],
  );
  expect(events.map(timeOf).at(-1)).toBe(3000);
});

test("a gate shows its text, and its commands once", () => {
  const message =
    "Good?\n\n> I looked.\n\nthe check failed (exit 1)\n\nRun: fix-1\n  until-green approve fix-1";
  expect(line({ type: "gate.opened", path: "/fix#1!gate", node: "fix", message, question: "" })).toBe(
    "⏸ waiting for you\n    Good?\n    \n    > I looked.\n    \n    the check failed (exit 1)\n    \n    Run: fix-1\n      until-green approve fix-1",
  );
  const gates = [{ path: "/fix#1!gate", node: "fix", message: "", question: "" }];
  expect(line({ type: "run.paused", stop_reason: "gate", gates })).toBeUndefined();
});
