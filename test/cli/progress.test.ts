import { expect, test } from "vitest";
import { openProgress } from "../../src/cli/progress.ts";
import type { ToldEvent } from "../../src/engine/told.ts";

const begun: ToldEvent = {
  v: 1,
  seq: 1,
  at: "2026-05-04T10:00:00.000Z",
  run: "shown-run",
  type: "iteration.started",
  path: "/fix#1",
  node: "fix",
  number: 1,
};

/** What a terminal of so many columns is sent when an agent says something while an iteration is at work. */
function drawn(columns: number | undefined, says: string): string {
  let sent = "";
  const progress = openProgress({ isTTY: true, columns: columns as number, write: (text) => (sent += text) });
  progress.onText("/fix#1", says);
  progress.tell(begun);
  progress.end();
  return sent.slice(sent.indexOf("\u001b[?7l"), sent.indexOf("\u001b[?7h"));
}

test("the live line leaves the cutting of wide characters to the terminal, which may not wrap it", () => {
  const line = drawn(40, "漢字".repeat(40));
  expect(line).toContain("fix#1 0.0 s 漢字漢字");
  expect(line).not.toContain("\n");
});

test.each([0, undefined])("a terminal that says it has %s columns gets a line all the same", (columns) => {
  expect(drawn(columns, "working on it")).toContain("working on it");
});
