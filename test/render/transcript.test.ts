import { expect, test } from "vitest";
import type { RunEventBody } from "../../src/engine/run-events.ts";
import type { LiveEvent } from "../../src/ports/live-event.ts";
import { closingTable } from "../../src/render/text-table.ts";
import { heartbeatMs, openTranscript } from "../../src/render/transcript.ts";
import { applyEvent, startSummary } from "../../src/status/run-summary.ts";
import { eventsOf, iteration, loopStarted, runStarted } from "./run-events.ts";

type Live = { readonly live: Omit<LiveEvent, "at"> };

/** What a log shows of these events; groups as `[title` and `]`. */
function shown(...steps: readonly (RunEventBody | Live)[]): readonly string[] {
  const lines: string[] = [];
  const transcript = openTranscript({
    line: (text) => lines.push(text),
    group: (title) => lines.push(`[${title}`),
    endGroup: () => lines.push("]"),
  });
  const at = new Date(0).toISOString();
  let summary = startSummary();
  for (const step of steps) {
    if ("live" in step) transcript.live({ at, ...step.live } as LiveEvent, summary);
    else
      for (const event of eventsOf(step)) {
        summary = applyEvent(summary, event);
        transcript.emit(event, summary, 0);
      }
  }
  transcript.end();
  return lines;
}

const asked = (path: string): RunEventBody => ({
  type: "agent.asked",
  path,
  agent: "claude",
  role: "worker",
  prompt: "go",
});
const says = (path: string, text: string): Live => ({ live: { type: "agent.message", path, text } as never });
const calls = (path: string, tool: string, about: string): Live => ({
  live: { type: "agent.tool", path, tool, about } as never,
});
const checks = (path: string, text: string): Live => ({
  live: { type: "check.output", path, text } as never,
});

test("an iteration is a group with what the agent says and does, its check another, and a line closes it", () => {
  const [started, answered, tested, ended] = iteration(1, 3) as [
    RunEventBody,
    RunEventBody,
    RunEventBody,
    RunEventBody,
  ];
  expect(
    shown(
      loopStarted,
      started,
      asked("/fix#1"),
      says("/fix#1", "I read the tests."),
      calls("/fix#1", "Read", "src/a.js"),
      answered,
      checks("/fix#1?1", "# fail 3"),
      tested,
      ended,
    ),
  ).toEqual([
    "▶ fix up to 10 iterations",
    "[fix · iteration 1 of 10 · claude",
    "  I read the tests.",
    "  → Read src/a.js",
    "]",
    "[fix · iteration 1 of 10 · check",
    "  │ # fail 3",
    "]",
    "fix · iteration 1 of 10: ❌ 3 tests failing (`npm test` exited with 1) · 1 file +10 −1 · 0.0 s · 1.2k tokens · $0.02\n  changed: src/a.js",
  ]);
});

test("a node inside a loop is named by its iteration, not by its path", () => {
  const path = "/fix#1/lint";
  const end = { node: "lint", label: path.slice(1), status: "completed", output: "" } as const;
  expect(
    shown(
      loopStarted,
      { type: "node.started", path, node: "lint", label: path.slice(1), kind: "bash" },
      { type: "node.ended", path, ...end },
      { type: "node.ended", path: "/last", ...end, label: "the last one" },
    ),
  ).toEqual([
    "▶ fix up to 10 iterations",
    "▶ fix · iteration 1 of 10 · lint",
    "✔ fix · iteration 1 of 10 · lint 0.0 s",
    "✔ the last one 0.0 s",
  ]);
});

test("what a script prints is called its output", () => {
  const node = { path: "/list", node: "list", label: "list" } as const;
  expect(
    shown(
      { type: "node.started", ...node, kind: "bash" },
      { live: { type: "node.output", path: "/list", text: "5" } as never },
      { type: "node.ended", ...node, status: "completed", output: "5" },
    ),
  ).toEqual(["▶ list", "[list · output", "  │ 5", "]", "✔ list 0.0 s"]);
});

test("output of parallel agents never mixes: the second waits for the first, and its lines are kept", () => {
  expect(
    shown(
      asked("/a"),
      asked("/b"),
      says("/a", "one"),
      says("/b", "two"),
      says("/a", "three"),
      {
        type: "agent.answered",
        path: "/b",
        text: "",
        usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      },
      says("/a", "four"),
    ),
  ).toEqual([
    "[a · claude",
    "  one",
    "  three",
    "]",
    "[b · claude",
    "  two",
    "]",
    "[a · claude (continued)",
    "  four",
    "]",
  ]);
});

test("a waiting lane takes over when the first is done", () => {
  const done = (path: string): RunEventBody => ({
    type: "agent.answered",
    path,
    text: "",
    usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
  });
  expect(
    shown(asked("/a"), asked("/b"), says("/a", "one"), says("/b", "two"), done("/a"), says("/b", "three")),
  ).toEqual(["[a · claude", "  one", "]", "[b · claude", "  two", "  three", "]"]);
});

test("a heartbeat says what is still running, once nothing was written for a minute", () => {
  const lines: string[] = [];
  const transcript = openTranscript({
    line: (text) => lines.push(text),
    group: () => {},
    endGroup: () => {},
  });
  const summary = startSummary();
  for (const event of eventsOf([0, runStarted], [1, asked("/a")])) transcript.emit(event, summary, 0);
  for (let at = 16_000; at <= 121_000; at += heartbeatMs) transcript.heartbeat(new Date(at).toISOString());
  expect(lines.slice(1)).toEqual([
    "a · claude: still running, 1 m 0 s",
    "a · claude: still running, 2 m 0 s",
  ]);
});

test("a check in a fresh clone is shown as it runs, and before what is noted about it", () => {
  const [path, clean] = ["/fix#1?1", "/fix#1?1!clean"];
  const checked = (at: string, text: string) =>
    ({ live: { path: at, type: "check.output", text, ...(at === clean ? { clean: true } : {}) } }) as const;
  expect(
    shown(
      runStarted,
      loopStarted,
      { type: "iteration.started", path: "/fix#1", node: "fix", number: 1 },
      checked(path, "1 passed"),
      checked(clean, "$ npm ci"),
      { type: "notice", code: "CLEAN_CHECK_UNAVAILABLE", message: "it fails there", path },
    ).slice(-7),
  ).toEqual([
    "[fix · iteration 1 of 10 · check",
    "  │ 1 passed",
    "]",
    "[fix · iteration 1 of 10 · check in a fresh clone",
    "  │ $ npm ci",
    "  note: it fails there",
    "]",
  ]);
});

test("a heartbeat names the iteration where nothing that runs has printed anything", () => {
  const lines: string[] = [];
  const line = (text: string) => lines.push(text);
  const transcript = openTranscript({ line, group: () => {}, endGroup: () => {} });
  let summary = startSummary();
  for (const event of eventsOf(
    [0, runStarted],
    [1, loopStarted],
    [2, { type: "iteration.started", path: "/fix#1", node: "fix", number: 1 }],
  )) {
    summary = applyEvent(summary, event);
    transcript.emit(event, summary, 0);
  }
  for (let at = 16_000; at <= 61_000; at += heartbeatMs) transcript.heartbeat(new Date(at).toISOString());
  expect(lines.at(-1)).toMatch(/^fix · iteration 1 of 10: still running, 59 s$/);
});

test("a loop in an item of another is named with the item", () => {
  const lines: string[] = [];
  const transcript = openTranscript({
    line: (text) => lines.push(text),
    group: () => {},
    endGroup: () => {},
  });
  const events = eventsOf(
    runStarted,
    { type: "loop.started", path: "/each", node: "each", mode: "for-each", items: 2 },
    { type: "iteration.started", path: "/each#2", node: "each", number: 2, item: "words" },
    { type: "loop.started", path: "/each#2/work", node: "work", mode: "repeat", max: 5 },
    { type: "iteration.started", path: "/each#2/work#1", node: "work", number: 1 },
    { type: "iteration.ended", path: "/each#2/work#1", node: "work", number: 1, output: "" },
  );
  let summary = startSummary();
  for (const event of events) {
    summary = applyEvent(summary, event);
    transcript.emit(event, summary, 0);
  }
  expect(lines.at(-1)).toMatch(/^each · item 2 of 2 \(words\) · work · iteration 1 of 5: /);
  expect(closingTable(summary)).toContain("\neach · item 2 of 2 (words) · work: 1 of at most 5 iterations");
});

test("the line that closes an iteration names at most three of the files that changed", () => {
  const paths = ["a.js", "b.js", "c.js", "d.js"];
  const steps = iteration(1, 3).map((event) =>
    event.type === "iteration.ended" ? { ...event, diff: { files: 4, added: 2, removed: 1, paths } } : event,
  );
  expect(shown(runStarted, loopStarted, ...steps).at(-1)).toMatch(
    / · 4 files \+2 −1 · .*\n {2}changed: a\.js, b\.js, c\.js, 1 more$/,
  );
});
