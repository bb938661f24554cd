import { expect, test } from "vitest";
import type { LogEvent } from "../../src/engine/log-events.ts";
import { beginRun, createLogIndex, itemsOf, openRun, RunExistsError } from "../../src/runner/open-run.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { planOf, stage } from "../parts/stage.ts";

const at = "2026-11-22T00:00:00.000Z";

test("a run that is not there is named, with the runs of its items in order", async () => {
  const store = memoryStore();
  await expect(openRun(store, "wide-1")).rejects.toThrow(
    "there is no run wide-1 here: until-green list shows all runs",
  );
  for (const id of ["wide-1-item-10", "wide-1-item-2", "wide-2-item-1", "other-run"])
    await store.append(id, 0, ["{}"]);
  expect(await itemsOf(store, "wide-1")).toEqual(["wide-1-item-2", "wide-1-item-10"]);
  await expect(openRun(store, "wide-1")).rejects.toThrow(
    /^there is no run wide-1 here; each of its items is a run of its own: wide-1-item-2, wide-1-item-10$/,
  );
  await expect(openRun(store, "wide-1-item-3")).rejects.toThrow(/: until-green list shows all runs$/);
  for (let item = 20; item < 30; item += 1) await store.append(`wide-1-item-${item}`, 0, ["{}"]);
  await expect(openRun(store, "wide-1")).rejects.toThrow(/wide-1-item-27 and 2 more$/);
  await expect(openRun({ ...store, whyGone: () => "it was pruned" }, "wide-1")).rejects.toThrow(
    /^it was pruned$/,
  );
});

const snapshot = (path: string, answer: object): LogEvent =>
  ({ type: "need.met", at, path, port: "workspace", answer }) as unknown as LogEvent;

test("the work of a run is its last snapshot, without those of the items' own checkouts", () => {
  const trail = createLogIndex([]);
  expect(trail.take(snapshot("/fix#1!after", { commit: "a" }))).toBe("a");
  expect(trail.take(snapshot("/fix#2!after", {}))).toBeUndefined();
  expect(
    trail.take({ ...snapshot("/fix#1?1", { commit: "x" }), port: "script" } as LogEvent),
  ).toBeUndefined();
  expect(trail.commit).toBe("a");
  trail.take(snapshot("/each~1!fork", { commit: "b" }));
  expect(trail.commit).toBe("b");
  for (const inside of ["/each~1/fix#1!after", "/each~1#1", "/each~1?1", "/each~1!after", "/each~1~2"])
    trail.take(snapshot(inside, { commit: "c" }));
  expect(trail.commit).toBe("b");
  trail.take(snapshot("/each~12/fix#1!after", { commit: "d" }));
  expect(trail.commit).toBe("d");
  trail.take(snapshot("/each~1!join", { commit: "e", conflicts: ["f.txt"] }));
  expect(trail.commit).toBe("d");
  trail.take(snapshot("/each~1!join", { commit: "e", conflicts: [] }));
  expect(trail.commit).toBe("e");
  expect(trail.drivers).toEqual([]);
  trail.take({ type: "run.resumed", at, by: "ann@host" });
  expect(trail.drivers).toEqual(["ann@host"]);
});

const source = "name: t\nnodes: [{ id: a, prompt: a }]\n";
const started = {
  type: "run.started",
  at,
  v: 1,
  plan: planOf(source),
  facts: { ...stage(source).facts, run: "begun-1" },
} as unknown as Parameters<typeof beginRun>[1];

test("a run begins once, with its status, and only an id in use is said to be in use", async () => {
  const store = memoryStore();
  const described: unknown[] = [];
  const describe = (...given: unknown[]) => void described.push(given);
  const statusOf = ((_: unknown, { events }: { events: readonly { type: string }[] }) =>
    events.map(({ type }) => type)) as never;
  const run = await beginRun({ store: { ...store, describe }, statusOf }, started);
  expect(run.lines).toBe(1);
  expect(described).toEqual([["begun-1", expect.arrayContaining(["run.started"])]]);
  await expect(beginRun({ store }, started)).rejects.toBeInstanceOf(RunExistsError);
  const append = () => Promise.reject(new Error("no disk"));
  await expect(beginRun({ store: { ...store, append } }, started)).rejects.toThrow(/^no disk$/);
});

test("an opened run knows its folder on this machine, or the recorded one if it has none here", async () => {
  const store = memoryStore();
  await beginRun({ store }, started);
  expect((await openRun(store, "begun-1", "/here")).session.facts.artifacts).toBe("/here");
  expect((await openRun(store, "begun-1")).session.facts.artifacts).toBe("/artifacts");
});
