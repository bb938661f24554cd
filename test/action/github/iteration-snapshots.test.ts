import { expect, test } from "vitest";
import { openIterations } from "../../../action/github/iteration-snapshots.ts";
import type { RunEvent } from "../../../src/api/runs.ts";

test("an attempt's snapshot is no iteration to publish: the best one's work is in the workspace", () => {
  const head = { v: 1, seq: 1, at: "", run: "r" } as const;
  const attempt = { green: false, stop_reason: "max-iterations" } as const;
  const ended = { ...head, type: "iteration.ended", node: "fix", output: "" } as const;
  const events: readonly RunEvent[] = [
    { ...head, type: "loop.started", path: "/fix", node: "fix", mode: "attempts", items: 2 },
    { ...ended, path: "/fix#1/fix#1", number: 1, snapshot: "inner" },
    { ...ended, path: "/fix#1", number: 1, snapshot: "one", attempt },
    { ...ended, path: "/again#1", number: 1, snapshot: "two" },
  ];
  const iterations = openIterations();
  for (const event of events.slice(0, 3)) iterations.record(event);
  expect([iterations.all, iterations.checked]).toEqual([[], undefined]);
  for (const event of events.slice(3)) iterations.record(event);
  expect(iterations.all).toEqual([{ number: 1, snapshot: "two" }]);
});
