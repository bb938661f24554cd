import { expect, test } from "vitest";
import { decide, type Statement } from "../../src/decisions/decide.ts";
import type { RunView, ViewedGate } from "../../src/decisions/run-view.ts";

const at = "2026-01-01T00:01:00.000Z";
const shown = "1111111aaaa";
const now = "2222222bbbb";

const gateAt = (head?: string): ViewedGate => ({ need: "/a#1", path: "a", since: at, head });
const viewed = (gate: ViewedGate, more: Partial<RunView> = {}): RunView => ({
  ...{ run: "run-001", state: "paused", waits: true, gates: [gate], decided: [], steps: undefined },
  ...more,
});
const command = (more: Partial<Statement>): Statement => ({
  ...{ kind: "approve", by: "ann", text: "", at, since: Date.parse(at) },
  ...more,
});

const since = "the branch has moved from 1111111 to 2222222 since the gate was shown";

test("an approval of a branch that moved is asked again, and names both commits", () => {
  expect(decide(viewed(gateAt(shown)), command({ head: now, moved: "ask" }))).toEqual({
    refused: "wrong",
    because: `${since}: review it, then use /workflow approve run-001 --anyway`,
  });
});

test("a button's approval of a branch that moved shows the gate again", () => {
  const gate = gateAt(shown);
  const because = `${since}; the gate is shown again: review it, then approve`;
  expect(decide(viewed(gate), command({ head: now, moved: "show" }))).toEqual({ shownAgain: gate, because });
});

test.each<[string, string | undefined, Partial<Statement>]>([
  ["of the commit that was shown", shown, { head: shown, moved: "ask" }],
  ["of a gate without a commit", undefined, { head: now, moved: "ask" }],
  ["where the head is not known", shown, { moved: "ask" }],
  ["of whatever is there now", shown, { head: now, moved: "ask", anyway: true }],
  ["where moving does not matter", shown, { head: now, moved: "ignore" }],
  ["where nothing says that it matters", shown, { head: now }],
  ["that is a rejection", shown, { head: now, moved: "ask", kind: "reject" }],
])("a decision %s counts", (_, head, more) => {
  const decision = { type: "run.decided", gate: "/a#1", by: "ann", decision: more.kind ?? "approve" };
  expect(decide(viewed(gateAt(head)), command(more))).toMatchObject({ record: decision });
});

test("a run that has ended takes no decision, even if its view still lists a gate", () => {
  const view = viewed(gateAt(), { state: "ended", waits: false });
  expect(decide(view, command({}))).toMatchObject({
    refused: "wrong",
    because: "run run-001 has ended already",
  });
});
