import { expect, test } from "vitest";
import type { RunEventBody } from "../../src/engine/run-events.ts";
import { failingCheckLines } from "../../src/render/failing-check.ts";
import { closingTable, textTable } from "../../src/render/text-table.ts";
import { summarizeEvents } from "../../src/status/run-summary.ts";
import { eventsOf, greenRun, iteration, loopStarted, runStarted, waitingRun } from "./run-events.ts";

test("a run that ended green shows its iterations and how the failing tests went away", () => {
  expect(closingTable(summarizeEvents(greenRun))).toMatchInlineSnapshot(`
    "✅ fix-tests succeeded: the check passed

    fix: 3 of at most 10 iterations, the check passed
      #  result                                      failing  changed          time  tokens   cost
      1  ❌ check failed (\`npm test\` exited with 1)    7 → 4  1 file +10 −1   3.0 s    1.2k  $0.02
      2  ❌ check failed (\`npm test\` exited with 1)    4 → 1  2 files +20 −2  3.0 s    1.2k  $0.02
      3  ✅ check passed                               1 → 0  3 files +30 −3  3.0 s    1.2k  $0.02
      failing tests  █▅▂▁  7 → 0

    3 iterations · 16 s · 3.7k tokens · $0.06 · $0.01 and 2.3 s per fixed test"
  `);
});

test("a run that waits says so", () => {
  expect(closingTable(summarizeEvents(waitingRun("Go on?")))).toMatchInlineSnapshot(`
    "⏸️ Waiting for you · fix-tests · fix · iteration 1 of 10

    fix: 1 of at most 10 iterations, paused
      #  result                                      failing  changed         time  tokens   cost
      1  ❌ check failed (\`npm test\` exited with 1)        4  1 file +10 −1  3.0 s    1.2k  $0.02

    ❌ 4 tests failing (\`npm test\` exited with 1)

    last lines of the check:
      │ # pass 3
      │ # fail 4

    1 iteration · 7.0 s · 1.2k tokens · $0.02"
  `);
});

test("a loop with the name of its workflow is named once", () => {
  const events = waitingRun("Go on?").map((event) =>
    event.type === "run.started" ? { ...event, workflow: "fix" } : event,
  );
  expect(closingTable(summarizeEvents(events))).toMatch(/^⏸️ Waiting for you · fix · iteration 1 of 10\n/);
});

test("the output of the check is shown once, above the question of a gate", () => {
  const gate = "Go on?\n\n4 tests still fail (exit 1)\n\nThe check's last lines:\n    # fail 4\n\nRun: fix-1";
  const table = closingTable(summarizeEvents(waitingRun("Go on?", { message: gate })));
  expect(table).toContain("❌ 4 tests failing");
  expect(table).not.toContain("last lines of the check");
});

test("a red check that printed nothing is shown as such", () => {
  const check = { because: "exit 1", count: undefined, tail: "", failing: [] };
  expect(failingCheckLines(check)).toEqual(["", "❌ check failed (exit 1)", "", "the check printed nothing"]);
});

test("iterations that a person granted are allowed ones", () => {
  const rounds = [1, 2].flatMap((number) => iteration(number, 0));
  const events = eventsOf(runStarted, { ...loopStarted, max: 1 } as RunEventBody, ...rounds);
  expect(closingTable(summarizeEvents(events))).toContain("fix: 2 of at most 2 iterations");
});

test("a for-each names its items", () => {
  const events = eventsOf(
    runStarted,
    { type: "loop.started", path: "/each", node: "each", mode: "for-each", items: 2 },
    { type: "iteration.started", path: "/each#1", node: "each", number: 1, item: "測試 one" },
    { type: "iteration.started", path: "/each#2", node: "each", number: 2, item: { id: 2 } },
    { type: "iteration.ended", path: "/each#1", node: "each", number: 1, output: "" },
  );
  expect(closingTable(summarizeEvents(events))).toMatchInlineSnapshot(`
    "⏳ fix-tests is running

    each: 2 of 2 items, running
      #  item      changed     time
      1  測試 one             2.0 s
      2  {"id":2}           running

    1 iteration · 4.0 s"
  `);
});

test("of a run that was interrupted the iteration in flight is called so", () => {
  const paused: RunEventBody = { type: "run.paused", stop_reason: "time-limit", gates: [] };
  const started: RunEventBody = { type: "iteration.started", path: "/fix#1", node: "fix", number: 1 };
  const text = closingTable(summarizeEvents(eventsOf(runStarted, loopStarted, started, paused)));
  expect(text).toMatch(/^ {2}1 +interrupted$/m);
});

test("a long loop shows how many iterations are left out", () => {
  const many = Array.from({ length: 500 }, (_, at) => iteration(at + 1, 1)).flat();
  const text = closingTable(summarizeEvents(eventsOf(runStarted, loopStarted, ...many)));
  expect(text.split("\n").length).toBeLessThan(40);
  expect(text).toContain("470 more");
});

test("columns are aligned for any content", () => {
  const table = {
    columns: [
      { title: "name", align: "left" as const },
      { title: "n", align: "right" as const },
    ],
    rows: [
      ["plain", "1"],
      ["測試", "10"],
      ["e\u0301", "100"],
      ["\u001b[31mred\u001b[0m\nline", "1000"],
    ],
  };
  expect(textTable(table)).toEqual([
    "name         n",
    "plain        1",
    "測試        10",
    "e\u0301          100",
    "red line  1000",
  ]);
});

test("a terminal that reports no width gets whole cells", () => {
  expect(closingTable(summarizeEvents(greenRun), 0)).toBe(closingTable(summarizeEvents(greenRun)));
});

test("a terminal's width is kept to: the widest column is shortened, no other", () => {
  const lines = closingTable(summarizeEvents(greenRun), 80).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines.find((line) => line.startsWith("  1 "))).toMatch(
    /❌ check failed .{1,20}… +7 → 4 +1 file \+10 −1 +3\.0 s +1\.2k +\$0\.02$/,
  );
  const narrow = textTable(
    {
      columns: ["#", "result", "changed", "time"].map((title) => ({ title, align: "left" })),
      rows: [["1", "✅ check passed · also in a fresh clone (1.0 s)", "1 file +1 −1", "5.5 s"]],
    },
    38,
  );
  expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(38);
  expect(textTable({ columns: [{ title: "a", align: "left" }], rows: [["x".repeat(50)]] }, 5)).toEqual([
    "a",
    `${"x".repeat(13)}…`,
  ]);
});
