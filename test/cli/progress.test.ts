import { expect, test } from "vitest";
import { openProgress } from "../../src/cli/progress.ts";
import type { RunEvent } from "../../src/engine/run-events.ts";

const begun: RunEvent = {
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
  at: begun.at,
  run: "shown-run",
  type: "notice",
  code: "X",
  message: "m",
};

/** What a terminal of so many columns is sent when an agent says something while an iteration is at work. */
function drawn(columns: number | undefined, says: string): string {
  let sent = "";
  const progress = openProgress({ isTTY: true, columns: columns as number, write: (text) => (sent += text) });
  progress.emit(begun);
  progress.live({ at: begun.at, path: "/fix#1", type: "agent.message", text: says });
  progress.emit(noted);
  progress.end();
  return sent.slice(sent.indexOf("\u001b[?7l"), sent.indexOf("\u001b[?7h"));
}

test("the live line leaves the cutting of wide characters to the terminal, which may not wrap it", () => {
  const line = drawn(40, "漢字".repeat(40));
  expect(line).toContain("漢字漢字");
  expect(line).not.toContain("\n");
});

test.each([0, undefined])("a terminal that reports %s columns still gets a line", (columns) => {
  expect(drawn(columns, "working on it")).toContain("working on it");
});
