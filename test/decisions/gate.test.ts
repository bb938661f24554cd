import { expect, test } from "vitest";
import { decide } from "../../src/decisions/decide.ts";
import { viewOf } from "../../src/decisions/run-view.ts";
import { openRun } from "../../src/runner/open-run.ts";
import { runId, stage } from "../parts/stage.ts";

const file = "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: one } }\n";

/** What an approval at a time puts on record, of somebody who began to say so at another. */
async function approved(began: number, now: number) {
  const it = stage(file);
  await it.begin();
  const { session } = await openRun(it.store, runId);
  const opened = Date.parse(session.gates()[0]?.since ?? "");
  const at = new Date(opened + now).toISOString();
  return decide(viewOf(session), { kind: "approve", by: "ann", text: "", since: opened + began, at });
}

test("who spoke after a gate opened means it", async () => {
  expect(await approved(10, 20)).toMatchObject({ record: { gate: expect.stringContaining("/a") } });
});

test("who spoke before it opened does not", async () => {
  expect(await approved(-10, 20)).toMatchObject({ refused: "wrong" });
});

test("if the clock is behind that of the gate, no one has to wait until it has caught up", async () => {
  expect(await approved(-20_000, -10_000)).toMatchObject({ record: { decision: "approve" } });
});

test("who spoke before a gate opened does not mean it, also if it was shown with a nonce", async () => {
  const it = stage(file);
  await it.begin();
  const { session } = await openRun(it.store, runId);
  const view = viewOf(session);
  const gates = view.gates.map((gate) => ({ ...gate, nonce: "n1" }));
  const at = gates[0]?.since ?? "";
  const approval = { kind: "approve", by: "ann", text: "", since: Date.parse(at) - 10, at } as const;
  expect(decide({ ...view, gates }, approval)).toEqual({
    refused: "wrong",
    because: "this decision is older than the gate /a: look at the gate first",
  });
});

test("a run waits for people while it is paused at a gate, and no more once it has ended", async () => {
  const it = stage(file);
  expect(viewOf(await it.begin())).toMatchObject({ state: "paused", waits: true });
  expect(viewOf(await it.decide("reject"))).toMatchObject({ state: "ended", waits: false, gates: [] });
});
