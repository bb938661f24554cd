import { expect, test } from "vitest";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import { type LogStore, StaleLogError } from "../../src/ports/store.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { runId, stage } from "../parts/stage.ts";

const loop =
  "name: t\nnodes:\n  - { id: fix, loop: { prompt: go, until: DONE, max_iterations: 3, fresh_context: true } }\n";

async function askForPause(store: LogStore, at: string): Promise<void> {
  const { length } = await store.read(runId);
  const event = { type: "run.pause-requested", at, by: "ann", text: "lunch" };
  await store.append(runId, length, [JSON.stringify(event)]);
}

const logOf = async (store: LogStore) =>
  (await store.read(runId)).map(parseLogEvent).map((event) => ("path" in event ? event.path : event.type));

test("a run that is asked to pause finishes its iteration, and repeats nothing when it is resumed", async () => {
  const store = memoryStore();
  const it = stage(loop, {
    store,
    async agent(_, call) {
      if (call === 1) await askForPause(store, it.world.clock.now());
      return call === 3 ? "DONE" : "working";
    },
  });
  const paused = await it.begin();
  expect(paused.paused).toBe(true);
  expect(it.prompts).toHaveLength(1);
  expect(it.of("iteration.ended").map(({ path }) => path)).toEqual(["/fix#1"]);
  expect(it.of("run.paused")).toMatchObject([{ stop_reason: "requested", gates: [] }]);
  expect(it.of("notice").map(({ message }) => message)).toContain("ann asked for this pause: lunch");
  expect((await logOf(store)).at(-1)).toBe("run.paused");

  const ended = await it.resume();
  expect(ended.end).toMatchObject({ conclusion: "success" });
  expect(it.prompts).toHaveLength(3);
  expect(it.of("notice").filter(({ code }) => code !== "PAUSE_REQUESTED")).toEqual([]);
});

test("a run that is asked to pause in its last iteration ends", async () => {
  const store = memoryStore();
  const it = stage(loop, {
    store,
    async agent() {
      await askForPause(store, it.world.clock.now());
      return "DONE";
    },
  });
  expect((await it.begin()).end).toMatchObject({ conclusion: "success" });
  expect(it.of("run.paused")).toEqual([]);
});

test("a run whose time is up after it was asked to pause waits for a person, and not for its next job", async () => {
  const memory = memoryStore();
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  const store: LogStore = {
    ...memory,
    async read(run, after) {
      const lines = await memory.read(run, after);
      if (lines.some((line) => line.includes("pause-requested"))) resolve();
      return lines;
    },
  };
  const time = new AbortController();
  const it = stage(loop, {
    store,
    async agent(_, _call, { signal }) {
      await askForPause(memory, it.world.clock.now());
      await isRead;
      time.abort();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw signal.reason;
    },
  });
  await it.begin({ timeLimit: time.signal });
  expect(it.of("run.paused")).toMatchObject([{ stop_reason: "requested" }]);
});

test("an iteration that has begun is finished, even if the request is recorded before its start", async () => {
  const lines: string[] = [];
  const request = JSON.stringify({ type: "run.pause-requested", at: "2026-01-01", by: "ann", text: "" });
  const store: LogStore = {
    ...memoryStore(),
    read: async (_, after = 0) => lines.slice(after),
    async append(_, __, more) {
      lines.push(...more);
      // The answer of the first call: the request turns out to have come before all but the first line.
      if (lines.includes(request) || !more.some((line) => line.includes("need.met"))) return;
      const undone = lines.splice(1);
      lines.push(request);
      throw new StaleLogError("another came first", undone);
    },
  };
  const it = stage(loop, { store, agent: (_, call) => (call === 3 ? "DONE" : "working") });
  expect((await it.begin()).paused).toBe(true);
  const calls = it.prompts.length;
  expect(it.of("iteration.ended")).toHaveLength(calls);
  expect((await it.resume()).end).toMatchObject({ conclusion: "success" });
  expect(it.prompts).toHaveLength(3);
});
