import { expect, test } from "vitest";
import { continuations } from "../../src/runner/continuations.ts";

const at = "2026-01-01T00:00:00Z";
const paused = { type: "run.paused", at, stop_reason: "time-limit" };
const resumed = { type: "run.resumed", at, by: "job" };
const decided = { type: "run.decided", at, gate: "/g", decision: "approve", by: "ann", text: "" };
const count = (...events: readonly object[]) => continuations(events.map((event) => JSON.stringify(event)));

test("counts the jobs that ran out of time in a row, until a person has a word", () => {
  expect(count()).toBe(0);
  expect(count(paused, resumed, paused, resumed)).toBe(2);
  expect(count(paused, resumed, { ...paused, stop_reason: "gate" }, decided, resumed, paused)).toBe(1);
});

test("a pause for another reason is no continuation, and ends no count", () => {
  const outage = { ...paused, stop_reason: "outage", wake_at: at };
  expect(count(paused, resumed, outage, resumed, paused)).toBe(2);
});

test.each([
  { type: "run.messaged", at, to: "fix", from: "ann", text: "go on" },
  { type: "run.extended", at, by: "ann", iterations: 2 },
])("counts from zero after $type", (event) => {
  expect(count(paused, resumed, paused, event, resumed, paused)).toBe(1);
});
