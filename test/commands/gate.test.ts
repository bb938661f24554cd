import { expect, test } from "vitest";
import { commands } from "../../src/commands/index.ts";
import { openRun } from "../../src/runner/log.ts";
import { runId, stage } from "../parts/stage.ts";

const file = "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: one } }\n";

/** What an approval at a time puts on record, of somebody who began to say so at another. */
async function approved(began: number, now: number) {
  const it = stage(file);
  await it.begin();
  const { session } = await openRun(it.store, runId);
  const opened = Date.parse(session.gates()[0]?.since ?? "");
  const time = (offset: number) => new Date(opened + offset).toISOString();
  return commands.approve.choose(session, { by: "ann", text: "", since: time(began), at: time(now) });
}

test("who spoke after a gate opened means it", async () => {
  expect(await approved(10, 20)).toMatchObject({ record: { gate: expect.stringContaining("/a") } });
});

test("who spoke before it opened does not", async () => {
  expect(await approved(-10, 20)).toMatchObject({ refused: "wrong" });
});

test("where the clock is behind that of the gate, nobody is told to wait until it has caught up", async () => {
  expect(await approved(-20_000, -10_000)).toMatchObject({ record: { decision: "approve" } });
});
