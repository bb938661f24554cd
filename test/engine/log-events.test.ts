import { expect, test } from "vitest";
import { conversationOf, LogMismatchError, parseLogEvent } from "../../src/engine/log-events.ts";
import { runId, stage } from "../parts/stage.ts";

const at = "2026-01-01T00:00:00.000Z";

test.each([
  [
    "that a newer version wrote",
    { at, type: "run.started", v: 2, plan: {}, facts: {} },
    "the run was written by a newer until-green (log version 2); use that version to resume it",
  ],
  [
    "with a field of the wrong type",
    { at, type: "run.resumed", by: 7 },
    "the log holds an event this version cannot read (by: Invalid input: expected string, received number); resume the run with the version that wrote it",
  ],
  [
    "with a field that nobody knows",
    { at, type: "run.resumed", by: "ann", mood: "good" },
    'the log holds an event this version cannot read (: Unrecognized key: "mood"); resume the run with the version that wrote it',
  ],
  [
    "of this version with a wrong plan",
    { at, type: "run.resumed", v: 1, by: "ann" },
    'the log holds an event this version cannot read (: Unrecognized key: "v"); resume the run with the version that wrote it',
  ],
])("a line %s is refused", (_, event, message) => {
  expect(() => parseLogEvent(JSON.stringify(event))).toThrow(new LogMismatchError(message));
});

test("a line that is no event is refused", () => {
  expect(() => parseLogEvent("null")).toThrow(LogMismatchError);
  expect(() => parseLogEvent("{")).toThrow(SyntaxError);
});

test("every line of a run is read as it was written", async () => {
  const it = stage("name: t\nnodes: [{ id: a, prompt: Go. }]\n");
  await it.begin();
  const lines = await it.store.read(runId);
  expect(lines.length).toBeGreaterThan(3);
  for (const line of [...lines, ...lines])
    expect(JSON.stringify(parseLogEvent(line))).toHaveLength(line.length);
});

test("comments on a run are those of its pull request, else of its issue", () => {
  expect([conversationOf({ pull: 1, issue: 2 }), conversationOf({ issue: 2 }), conversationOf({})]).toEqual([
    1,
    2,
    undefined,
  ]);
  expect(conversationOf(undefined)).toBeUndefined();
});
