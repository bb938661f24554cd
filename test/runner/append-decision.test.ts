import { expect, test } from "vitest";
import { decide, type Statement } from "../../src/decisions/decide.ts";
import { viewOf } from "../../src/decisions/run-view.ts";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import type { RunSession } from "../../src/engine/session.ts";
import type { LogStore } from "../../src/ports/store.ts";
import { appendDecision, type Recorded } from "../../src/runner/append-decision.ts";
import type { RunEnvironment } from "../../src/runner/run-environment.ts";
import { runId, stage } from "../parts/stage.ts";

const gates =
  "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: one } }\n  - { id: b, approval: { message: two } }\n";

test("a late decision at a gate is answered as late, also if the run has ended meanwhile by another", async () => {
  const it = stage(gates);
  await it.begin();
  const now = it.world.clock.now();
  const choose = (session: RunSession, command: Pick<Statement, "kind" | "by" | "gate">) => {
    const decision = decide(viewOf(session), { ...command, text: "", at: now, since: Date.parse(now) });
    if ("record" in decision || "refused" in decision) return decision;
    throw new Error("an approval neither resumes nor shows a gate here");
  };
  const reject = () =>
    appendDecision({ store: it.store }, runId, (session) =>
      choose(session, { kind: "reject", by: "ann", gate: "/a" }),
    );
  let before: (() => Promise<unknown>) | undefined = reject;
  const store: LogStore = {
    ...it.store,
    async append(...args) {
      const first = before;
      before = undefined;
      await first?.();
      return await it.store.append(...args);
    },
  };
  const late = await appendDecision({ store }, runId, (session) =>
    choose(session, { kind: "approve", by: "bob", gate: "/b" }),
  );
  expect(late).toMatchObject({ refused: "late" });
  const again = await appendDecision({ store }, runId, (session) =>
    choose(session, { kind: "approve", by: "bob", gate: "/b" }),
  );
  expect(again).toMatchObject({ refused: "wrong" });
});

test("a decision is recorded with the status of the run after it", async () => {
  const it = stage(gates);
  await it.begin();
  const described: string[] = [];
  const store: LogStore = {
    ...it.store,
    describe: (_, status) => void described.push(JSON.stringify(status)),
  };
  const statusOf: RunEnvironment["statusOf"] = (session, { events }) => ({
    gates: session.gates().map(({ path }) => path),
    events: events.map(({ type }) => type),
  });
  const at = it.world.clock.now();
  const record = { type: "run.decided", at, gate: "/a", decision: "approve", by: "ann", text: "" } as const;
  await appendDecision({ store, statusOf }, runId, () => ({ record }));
  const [status] = described.map((text) => JSON.parse(text));
  expect(status.gates).toEqual(["/b"]);
  expect(status.events).toEqual(expect.arrayContaining(["run.started", "gate.answered"]));
});

test("a decision that ends the run is recorded with that end, and returns what followed from it", async () => {
  const it = stage(gates);
  const { length: before } = (await it.begin()) && (await it.store.read(runId));
  const at = "2026-02-02T00:00:00.000Z";
  const record = { type: "run.decided", at, gate: "/a", decision: "reject", by: "ann", text: "" } as const;
  const done = await appendDecision({ store: it.store }, runId, () => ({ record }));
  const lines = (await it.store.read(runId)).map(parseLogEvent).slice(before);
  expect(lines).toEqual([record, { type: "run.ended", at, conclusion: "failure", stop_reason: "rejected" }]);
  const { session, events } = done as Recorded;
  expect(session.closed).toBe(true);
  expect(events.map(({ type }) => type)).toEqual(["gate.answered", "node.ended", "node.ended", "run.ended"]);
});

test("a decision that a store cannot record is reported as its error, once", async () => {
  const it = stage(gates);
  await it.begin();
  let count = 0;
  const store = { ...it.store, append: () => Promise.reject(new Error(`no disk ${++count}`)) };
  const record = { type: "run.cancelled", at: it.world.clock.now(), by: "ann", because: "x" } as const;
  const deciding = appendDecision({ store }, runId, () => ({ record }));
  await expect(deciding).rejects.toThrow(/^no disk 1$/);
  expect(count).toBe(1);
});

test("a decision is recorded without a status if the store keeps none, or the program makes none", async () => {
  const described: unknown[] = [];
  const describe = (...given: unknown[]) => void described.push(given);
  for (const more of [{ statusOf: () => ({}) }, { describe }]) {
    const it = stage(gates);
    await it.begin();
    const record = { type: "run.cancelled", at: it.world.clock.now(), by: "ann", because: "x" } as const;
    const { statusOf, ...kept } = { statusOf: undefined, ...more };
    const store: LogStore = { ...it.store, ...kept };
    const done = await appendDecision(
      statusOf === undefined ? { store } : { store, statusOf },
      runId,
      () => ({
        record,
      }),
    );
    expect(done).not.toHaveProperty("refused");
  }
  expect(described).toEqual([]);
});
