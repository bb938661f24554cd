import { expect, test } from "vitest";
import { createOpenSpans } from "../../src/engine/open-spans.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { RunEventBody, StopReason } from "../../src/engine/run-events.ts";

const started = (path: string): RunEventBody => ({
  type: "node.started",
  path,
  node: path.slice(1),
  label: path.slice(1),
  kind: "loop",
});
const loop = (path: string): RunEventBody => ({
  type: "loop.started",
  path,
  node: path.slice(1),
  mode: "repeat",
  max: 9,
});
const iteration = (path: string, number: number, item?: string): RunEventBody => ({
  type: "iteration.started",
  path: `${path}#${number}`,
  node: path.slice(1),
  number,
  ...(item === undefined ? {} : { item }),
});
const iterationEnd = (path: string, number: number): RunEventBody => ({
  type: "iteration.ended",
  path: `${path}#${number}`,
  node: path.slice(1),
  number,
  output: "",
});
const loopEnd = (path: string, stop_reason: StopReason): RunEventBody => ({
  type: "loop.ended",
  path,
  node: path.slice(1),
  status: "completed",
  stop_reason,
  iterations: 1,
});

function spansAfter(...events: readonly RunEventBody[]) {
  const spans = createOpenSpans();
  for (const event of events) spans.follow(event);
  return spans;
}

const cancelled: Outcome = { status: "cancelled", because: "enough" };

test("what is open ends innermost first, with the reason of the run", () => {
  const spans = spansAfter(
    started("/fix"),
    loop("/fix"),
    iteration("/fix", 1),
    iterationEnd("/fix", 1),
    iteration("/fix", 2, "second"),
  );
  const node = {
    type: "node.ended",
    path: "/fix",
    node: "fix",
    label: "fix",
    status: "cancelled",
    output: "",
  };
  const end = (reason: string) => [
    { type: "iteration.ended", path: "/fix#2", node: "fix", number: 2, item: "second", output: "" },
    {
      type: "loop.ended",
      path: "/fix",
      node: "fix",
      status: "cancelled",
      stop_reason: "cancelled",
      iterations: 2,
    },
    { ...node, reason },
  ];
  expect(spans.closings(cancelled)).toEqual(end("enough"));
  expect(spans.closings({ status: "completed", output: "" })).toEqual(end("the run ended"));
});

test("a loop that starts again counts its iterations anew, and one without any has none", () => {
  const again = spansAfter(
    loop("/fix"),
    iteration("/fix", 1),
    iterationEnd("/fix", 1),
    loopEnd("/fix", "signal"),
    loop("/fix"),
  );
  expect(again.closings(cancelled)).toMatchObject([{ type: "loop.ended", iterations: 0 }]);
});

test.each<[readonly StopReason[], StopReason | undefined]>([
  [[], undefined],
  [["signal"], "signal"],
  [["signal", "judge"], "judge"],
  [["signal", "nothing-to-do"], "signal"],
  [["nothing-to-do"], "nothing-to-do"],
  [["nothing-to-do", "signal"], "signal"],
])("after loops that ended by %j, the last reason is %s", (reasons, last) => {
  expect(spansAfter(...reasons.map((reason) => loopEnd("/fix", reason))).loopEnds().lastLoop).toBe(last);
});
