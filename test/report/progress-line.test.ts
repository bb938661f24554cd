import { expect, test } from "vitest";
import type { Told } from "../../src/engine/told.ts";
import { openStopwatch, progressLine } from "../../src/report/progress-line.ts";
import { iteration, loopStarted, runStarted, telling } from "./telling.ts";

const line = (told: Told) => progressLine(telling(told)[0] as ReturnType<typeof telling>[number], 1500);

test.each<readonly [Told, string | undefined]>([
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
    {
      type: "stop.tested",
      path: "/a#1?1",
      kind: "until-bash",
      verdict: "go-on",
      because: "exit 1",
      tail: "# fail 3\n",
    },
    "    until-bash: exit 1 (3 failing)",
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
])("people read of %j: %s", (told, shown) => {
  expect(line(told)).toBe(shown);
});

test("what a place paints is painted", () => {
  const tag = (name: string) => (text: string) => `<${name}>${text}`;
  const paint = { dim: tag("d"), bold: tag("b"), green: tag("g"), red: tag("r"), yellow: tag("y") };
  const [event] = telling({
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
  const events = telling(runStarted, [5, started as Told], [7, ended as Told]);
  expect(events.map(timeOf)).toEqual([0, 0, 2000]);
});

test("a clock that was set back takes no time away", () => {
  const timeOf = openStopwatch();
  const [started, , , ended] = iteration(1, 0);
  const events = telling(runStarted, [7, started as Told], [5, ended as Told]);
  expect(events.map(timeOf)).toEqual([0, 0, 0]);
});
