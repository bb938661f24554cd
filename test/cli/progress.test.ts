import { expect, test } from "vitest";
import { openProgress } from "../../src/cli/progress.ts";
import type { RunEvent } from "../../src/engine/run-events.ts";

const started: RunEvent = {
  v: 1,
  seq: 1,
  at: "2026-05-04T10:00:00.000Z",
  run: "shown-run",
  type: "iteration.started",
  path: "/fix#1",
  node: "fix",
  number: 1,
};

/** Its line draws the live line anew. */
const noted: RunEvent = {
  v: 1,
  seq: 2,
  at: started.at,
  run: "shown-run",
  type: "notice",
  code: "X",
  message: "m",
};

/** What a terminal of so many columns is sent when an agent says something while an iteration is at work. */
function drawn(columns: number | undefined, says: string): string {
  let sent = "";
  const progress = openProgress({ isTTY: true, columns: columns as number, write: (text) => (sent += text) });
  progress.emit(started);
  progress.live({ at: started.at, path: "/fix#1", type: "agent.message", text: says });
  progress.emit(noted);
  progress.end();
  return sent.slice(sent.indexOf("\u001b[?7l"), sent.indexOf("\u001b[?7h"));
}

test("the live line leaves the cutting of wide characters to the terminal, which may not wrap it", () => {
  const line = drawn(40, "漢字".repeat(40));
  expect(line).toContain("漢字漢字");
  expect(line).not.toContain("\n");
});

const on = { v: 1, seq: 1, at: started.at, run: "shown-run" } as const;
const call = { path: "/fix#1", node: "fix" } as const;
const opened: readonly RunEvent[] = [
  { ...on, type: "loop.started", path: "/fix", node: "fix", mode: "repeat", max: 8 },
  started,
];
const answered = (cost_usd: number): readonly RunEvent[] => [
  { ...on, ...call, type: "agent.asked", agent: "claude", role: "worker", prompt: "go" },
  {
    ...on,
    ...call,
    type: "agent.answered",
    text: "done",
    usage: { input_tokens: 12_000, output_tokens: 345, cost_usd },
  },
];

/** The last rows that a terminal shows, after these events. */
function shownAfter(events: readonly RunEvent[], recalled: readonly RunEvent[] = []): string {
  let sent = "";
  const progress = openProgress({ isTTY: true, columns: 100, write: (text) => (sent += text) });
  if (recalled.length > 0) progress.recall(recalled);
  for (const event of [...events, noted]) progress.emit(event);
  const drawn = sent.slice(sent.lastIndexOf("\u001b[?7l"));
  progress.end();
  return drawn;
}

test("while a check prints nothing, the iteration stays on the terminal, with what was spent so far", () => {
  expect(shownAfter(opened.slice(0, 1))).toContain("fix · ");
  expect(shownAfter([...opened, ...answered(0.11)])).toMatch(/fix · iteration 1 of 8 · .+ · \$0\.11/);
  expect(shownAfter([...opened, ...answered(0)])).toMatch(/fix · iteration 1 of 8 · .+ · 12\.3k tokens/);
  expect(shownAfter([], [...opened, ...answered(0.11)])).toMatch(/fix · iteration 1 of 8 · .+ · \$0\.11/);
});

test("a terminal shows what a call has cost so far, and counts it once", () => {
  let sent = "";
  const progress = openProgress({ isTTY: true, columns: 100, write: (text) => (sent += text) });
  const last = () => sent.slice(sent.lastIndexOf("\u001b[?7l"));
  const [asked, ended] = answered(0.5);
  for (const event of [...opened, ...answered(0.11), asked as RunEvent]) progress.emit(event);
  const usage = { input_tokens: 1_000, output_tokens: 10, cost_usd: 0.3 };
  progress.live({ at: started.at, path: "/fix#1", type: "agent.usage", usage });
  progress.emit(noted);
  expect(last()).toMatch(/fix · iteration 1 of 8 · .+ · \$0\.41/);
  progress.emit({ ...on, type: "agent.failed", path: call.path, because: "", usage });
  progress.emit(noted);
  expect(last()).toContain("$0.41");
  for (const event of [asked as RunEvent, ended as RunEvent, noted]) progress.emit(event);
  expect(last()).toContain("$0.91");
  progress.end();
});

test.each([0, undefined])("a terminal that reports %s columns still gets a line", (columns) => {
  expect(drawn(columns, "working on it")).toContain("working on it");
});
