import { expect, test } from "vitest";
import { decide } from "../../src/decisions/decide.ts";
import { parseComment } from "../../src/decisions/parse-comment.ts";
import type { RunView } from "../../src/decisions/run-view.ts";

const at = "2026-01-01T00:01:00.000Z";
const viewed = (more: Partial<RunView>): RunView => ({
  ...{ run: "run-001", state: "running", waits: false, gates: [], decided: [], steps: undefined },
  ...more,
});
const pause = { kind: "pause", by: "ann", text: "lunch", at, since: Date.parse(at) } as const;

test("a comment can ask for a pause, with a reason", () => {
  expect(parseComment("/workflow pause run-0a1b2c3d lunch")).toMatchObject({
    kind: "pause",
    word: "run-0a1b2c3d",
    rest: "lunch",
  });
});

test("a pause is recorded for a running run, with the person, the reason and the comment", () => {
  const comment = { id: 7, sha256: "0".repeat(64) };
  expect(decide(viewed({}), { ...pause, comment })).toEqual({
    record: { type: "run.pause-requested", at, by: "ann", text: "lunch", comment },
  });
});

test.each<[string, Partial<RunView>, string]>([
  ["is paused", { state: "paused" }, "run run-001 is not running: it is paused already"],
  ["has ended", { state: "ended" }, "run run-001 has ended already"],
])("a run that %s is not paused, and the reply says so", (_, more, because) => {
  expect(decide(viewed(more), pause)).toEqual({ refused: "wrong", because });
});
