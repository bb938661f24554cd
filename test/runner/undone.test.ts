import { expect, test } from "vitest";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import { type LogStore, StaleLogError } from "../../src/ports/store.ts";
import { createLogIndex } from "../../src/runner/open-run.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { runId, stage } from "../parts/stage.ts";

const source = `
name: t
nodes:
  - { id: setup, bash: setup }
  - id: fix
    depends_on: [setup]
    loop: { prompt: "round $LOOP_ITERATION", until_bash: check, max_iterations: 5 }
  - { id: side, prompt: side }
`;
const message = JSON.stringify({
  type: "run.messaged",
  at: "2026-01-01",
  to: "fix",
  from: "ann",
  text: "hello",
});

/** A store elsewhere: at one append another writer turns out to have come first, before the last lines of ours. */
function contested(at: number, depth: number): { readonly store: LogStore; readonly lines: string[] } {
  const lines: string[] = [];
  let appends = 0;
  const store: LogStore = {
    read: async (_, after = 0) => lines.slice(after),
    async append(_, after, more) {
      expect(after).toBe(lines.length);
      lines.push(...more);
      appends += 1;
      if (appends !== at) return;
      const undone = lines.splice(Math.max(1, lines.length - depth));
      lines.push(message);
      throw new StaleLogError("another came first", undone);
    },
    hold: async () => async () => undefined,
    list: async () => [],
    artifacts: async () => "/artifacts",
  };
  return { store, lines };
}

const one = "name: t\nnodes: [{ id: work, prompt: work }]\n";

/** The log in short: what happened, and where. */
const logOf = async (store: LogStore) =>
  (await store.read(runId))
    .map(parseLogEvent)
    .map((event) => ("path" in event ? `${event.type} ${event.path}` : event.type));

const met = (lines: readonly string[]) =>
  lines.map(parseLogEvent).flatMap((event) => (event.type === "need.met" ? [event.path] : []));

test.each([1, 3, 6])(
  "events that waited when another writer was first are recorded after it, and nothing is done twice (%i lines)",
  async (depth) => {
    for (let at = 2; at <= 8; at += 1) {
      const { store, lines } = contested(at, depth);
      const it = stage(source, { store, shell: ({ role }, call) => (role === "check" && call < 4 ? 1 : 0) });
      const end = await it.begin();
      expect(end.end, `append ${at}`).toMatchObject({ conclusion: "success", stop_reason: "until-bash" });
      expect(it.end()).toMatchObject({ iterations: 3 });
      const asked = it.prompts.map(({ prompt }) => prompt.replace(/[\s\S]*(round \d|side)$/, "$1"));
      expect(asked.map((prompt) => prompt.split("\n")[0]).toSorted(), `append ${at}`).toHaveLength(4);
      const paths = met(lines);
      expect(new Set(paths).size).toBe(paths.length);
      expect(lines.filter((line) => line === message)).toHaveLength(1);
      // What it left is a log like any other.
      await expect(stage(source, { log: lines }).resume()).rejects.toThrow("has ended");
    }
  },
);

test("the workspace's last snapshot is that of the checkout, not of an item's own", () => {
  const at = "2026-01-01";
  const snapshot = (path: string, commit: string, conflicts?: string[]) =>
    ({
      type: "need.met",
      at,
      path,
      port: "workspace",
      answer: { commit, ...(conflicts === undefined ? {} : { conflicts }) },
    }) as const;
  const trail = createLogIndex([
    snapshot("/fix#0!snapshot", "a"),
    snapshot("/each#1!fork", "b"),
    snapshot("/each#1/inner#1!snapshot", "x"),
    snapshot("/each#1!join", "y", ["f"]),
  ]);
  expect(trail.commit).toBe("b");
  expect(trail.take(snapshot("/each#10!snapshot", "c"))).toBe("c");
  expect(trail.take(snapshot("/each#1!join", "d"))).toBe("d");
  trail.take({ type: "run.resumed", at, by: "another" });
  expect(trail.drivers).toEqual(["another"]);
});

test("a store that refuses every append as stale, without new lines, ends the run's process", async () => {
  const { store, lines } = contested(Number.POSITIVE_INFINITY, 1);
  let refusals = 0;
  const stuck: LogStore = {
    ...store,
    async append(runId, after, more) {
      if (lines.length < 3) return await store.append(runId, after, more);
      refusals += 1;
      if (refusals > 100) throw new Error("appended again without end");
      throw new StaleLogError("written to by another");
    },
  };
  await expect(stage(source, { store: stuck }).begin()).rejects.toThrow("written to by another");
});

test("a poll finds what others wrote where the store kept lines of this process out, and records those again", async () => {
  const store = memoryStore();
  const isOvertaken = Promise.withResolvers<void>();
  let undone: readonly string[] = [];
  const it = stage(one, {
    store: {
      ...store,
      async read(id, after) {
        const lines = undone;
        undone = [];
        if (lines.length === 0) return await store.read(id, after);
        isOvertaken.resolve();
        throw new StaleLogError("others were first", lines);
      },
    },
    async agent() {
      undone = [message];
      await isOvertaken.promise;
      return "done";
    },
  });
  Object.assign(it.world.clock, {
    every(_: number, ring: () => void) {
      const timer = setInterval(ring, 1);
      return () => clearInterval(timer);
    },
  });
  await it.begin();
  expect(await logOf(store)).toEqual([
    "run.started",
    "need.begun /work",
    "run.messaged",
    "need.met /work",
    "run.ended",
  ]);
  expect(it.prompts).toHaveLength(1);
});

test("a run whose id another run took before it was pushed records nothing of its own start again", async () => {
  const theirs = stage(one, { facts: { message: "theirs" } });
  await theirs.begin();
  const [started = ""] = await theirs.store.read(runId);
  const logs = [memoryStore(), memoryStore({ [runId]: [started] })] as const;
  let now: LogStore = logs[0];
  const it = stage(one, {
    store: {
      ...now,
      read: (id, after) => now.read(id, after),
      async append(id, after, lines) {
        if (now !== logs[0] || after === 0) return await now.append(id, after, lines);
        now = logs[1];
        throw new StaleLogError("others were first", [...(await logs[0].read(id)), ...lines]);
      },
    },
  });
  const session = await it.begin();
  expect(await logOf(logs[1])).toEqual(["run.started", "need.begun /work", "need.met /work", "run.ended"]);
  expect(session.facts.message).toBe("theirs");
  expect(it.prompts).toHaveLength(1);
});

test("a run that others continued otherwise is not ended by an end that was not recorded", async () => {
  const looping = "name: t\nnodes: [{ id: fix, loop: { prompt: go, until: DONE, max_iterations: 3 } }]\n";
  const memory = memoryStore();
  let isFirst = true;
  const store: LogStore = {
    ...memory,
    async append(id, after, lines) {
      if (!isFirst || !lines.some((line) => line.includes('"run.ended"'))) {
        return await memory.append(id, after, lines);
      }
      isFirst = false;
      const answer = { text: "not yet" };
      const met = { type: "need.met", at: "2026-01-01", path: "/fix#1", port: "agent", answer };
      await memory.append(id, after, [JSON.stringify(met)]);
      throw new StaleLogError("another came first", lines);
    },
  };
  const it = stage(looping, { store, agent: () => "DONE" });
  await it.begin();
  expect(await logOf(memory)).toEqual([
    "run.started",
    "need.begun /fix#1",
    "need.met /fix#1",
    "need.begun /fix#2",
    "need.met /fix#2",
    "run.ended",
  ]);
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2 });
});

test("a run that another process cancels just before it is resumed stays as it ended", async () => {
  const whole = stage(one);
  await whole.begin();
  const memory = memoryStore({ [runId]: (await whole.store.read(runId)).slice(0, 2) });
  const cancelled = { type: "run.cancelled", at: "2026-01-01", by: "ann", because: "cancelled by ann" };
  const store: LogStore = {
    ...memory,
    async append(id, after, lines) {
      if (lines.some((line) => line.includes('"run.resumed"')))
        await memory.append(id, after, [JSON.stringify(cancelled)]);
      await memory.append(id, after, lines);
    },
  };
  const it = stage(one, { store });
  const session = await it.resume();
  expect(session.cancelled).toBe("cancelled by ann");
  expect(it.prompts).toEqual([]);
  expect(await logOf(memory)).toEqual(["run.started", "need.begun /work", "run.cancelled", "run.ended"]);
});
