import { expect, test } from "vitest";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import { type LogStore, StaleLogError } from "../../src/ports/store.ts";
import { RunTakenOverError } from "../../src/runner/append-events.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { runId, stage } from "../parts/stage.ts";

const at = "2026-01-01T00:00:00.000Z";
const one = "name: t\nnodes: [{ id: work, prompt: work }]\n";

/** The log in short: what happened, and where. */
const logOf = async (store: LogStore) =>
  (await store.read(runId))
    .map(parseLogEvent)
    .map((event) => ("path" in event ? `${event.type} ${event.path}` : event.type));

/** Appends an event as another process would. */
async function write(store: LogStore, event: object): Promise<void> {
  const { length } = await store.read(runId);
  await store.append(runId, length, [JSON.stringify(event)]);
}

const never = () => new Promise<never>(() => {});

test("a call that another process has answered is stopped, and the run continues with that answer", async () => {
  const store = memoryStore();
  const answer = { text: "from elsewhere" };
  const done: string[] = [];
  const it = stage("name: t\nnodes: [{ id: a, prompt: a }, { id: b, prompt: b, depends_on: [a] }]\n", {
    store,
    async agent({ node }, _, { signal }) {
      done.push(`${node} is asked`);
      if (node === "b") return "done";
      signal.addEventListener("abort", () => done.push("a is stopped"));
      await write(store, { type: "need.met", at, path: "/a", port: "agent", answer });
      return await never();
    },
  });
  await it.begin();
  expect(done).toEqual(["a is asked", "a is stopped", "b is asked"]);
  expect(await logOf(store)).toEqual([
    "run.started",
    "need.begun /a",
    "need.met /a",
    "need.begun /b",
    "need.met /b",
    "run.ended",
  ]);
  expect(it.end()).toMatchObject({ conclusion: "success", results: { a: "from elsewhere", b: "done" } });
});

test("a run that another process took over stops here, and nothing more is written", async () => {
  const store = memoryStore();
  const it = stage(one, {
    store,
    async agent() {
      await write(store, { type: "run.resumed", at, by: "job 7" });
      return "too late";
    },
  });
  const running = it.begin();
  await expect(running).rejects.toBeInstanceOf(RunTakenOverError);
  await expect(running).rejects.toThrow("the run was taken over by job 7: follow it there");
  expect(await logOf(store)).toEqual(["run.started", "need.begun /work", "run.resumed"]);
});

test("a run that others drove before is not taken over", async () => {
  const before = stage(one);
  await before.begin();
  const [started = ""] = await before.store.read(runId);
  const store = memoryStore({
    [runId]: [started, JSON.stringify({ type: "run.resumed", at, by: "job 7" })],
  });
  const it = stage(one, {
    store,
    async agent() {
      await write(store, { type: "run.messaged", at, to: "work", from: "ann", text: "hello" });
      return "done";
    },
  });
  await it.resume();
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("an end that another process recorded is not followed by what this one had in hand", async () => {
  const store = memoryStore();
  const it = stage(one, {
    store,
    async agent() {
      await write(store, { type: "run.cancelled", at, by: "ann", because: "enough" });
      return "too late";
    },
  });
  await it.begin();
  expect(await logOf(store)).toEqual(["run.started", "need.begun /work", "run.cancelled", "run.ended"]);
  expect(it.end()).toMatchObject({ conclusion: "cancelled" });
});

/** A store that knows before a call that others have written: it reports that once. */
function warned(event: object): LogStore & { readonly asked: number[] } {
  const store = memoryStore();
  const asked: number[] = [];
  return {
    ...store,
    asked,
    async assertCurrent(_, after) {
      asked.push(after);
      const { length } = await store.read(runId);
      if (asked.length === 1) await write(store, event);
      if (asked.length === 1 || after !== length) throw new StaleLogError("others were first");
    },
  };
}

test("before a call, the store is asked whether others have written since; if so, the call is made once all the same", async () => {
  const store = warned({ type: "run.messaged", at, to: "work", from: "ann", text: "hello" });
  const it = stage(one, { store });
  await it.begin();
  expect(store.asked).toEqual([2, 3]);
  expect(it.prompts).toHaveLength(1);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("a call of a run that another process has taken over meanwhile is not made", async () => {
  const store = warned({ type: "run.resumed", at, by: "job 7" });
  const it = stage(one, { store });
  await expect(it.begin()).rejects.toThrow("the run was taken over by job 7");
  expect(it.prompts).toEqual([]);
});

test("only a store that says that others were first is believed: other errors end the process", async () => {
  const store = memoryStore();
  const broken = { ...store, assertCurrent: () => Promise.reject(new Error("no host")) };
  const it = stage(one, { store: broken });
  await expect(it.begin()).rejects.toThrow(/^no host$/);
  expect(it.prompts).toEqual([]);
});

/** A run of two agents, in which others write while the answer of the first one is appended. */
function overtaken(event: object, source: string) {
  const memory = memoryStore();
  const slow = Promise.withResolvers<string>();
  let isDone = false;
  const store: LogStore = {
    ...memory,
    async append(id, after, lines) {
      if (!isDone && lines.some((line) => line.includes('"need.met"'))) {
        isDone = true;
        slow.resolve("from here");
        await new Promise((resolve) => setTimeout(resolve, 20));
        await write(memory, event);
      }
      await memory.append(id, after, lines);
    },
  };
  const it = stage(source, { store, agent: ({ node }) => (node === "slow" ? slow.promise : "done") });
  return { it, store };
}

test("of two answers to one call, the one that was recorded first counts, and the other is dropped", async () => {
  const nodes =
    "{ id: quick, prompt: a }, { id: slow, prompt: b }, { id: last, prompt: c, depends_on: [slow] }";
  const answer = { text: "from elsewhere" };
  const { it, store } = overtaken(
    { type: "need.met", at, path: "/slow", port: "agent", answer },
    `name: t\nnodes: [${nodes}]\n`,
  );
  await it.begin();
  expect(await logOf(store)).toEqual([
    "run.started",
    "need.begun /quick",
    "need.begun /slow",
    "need.met /slow",
    "need.met /quick",
    "need.begun /last",
    "need.met /last",
    "run.ended",
  ]);
  expect(it.end()?.results).toEqual({ quick: "done", slow: "from elsewhere", last: "done" });
});

/** Resumes a run in which others write just before that, after the first snapshot; what is done to the checkout. */
async function resumedLate(others: (later: readonly string[]) => readonly string[]) {
  const commits = { workspace: () => ({ commit: "c1", tree: "t1", restored: [] }), agent: () => "DONE" };
  const looping = "name: t\nnodes: [{ id: fix, loop: { prompt: go, until: DONE, max_iterations: 2 } }]\n";
  const whole = stage(looping, commits);
  await whole.begin();
  const lines = await whole.store.read(runId);
  const begun = lines.findIndex((line) => line.includes('"need.begun"') && line.includes('"/fix#1"')) + 1;
  const memory = memoryStore({ [runId]: lines.slice(0, begun) });
  const done: string[] = [];
  const work = {
    keep: () => undefined,
    bring: async (...[, commit]: unknown[]) => void done.push(`bring ${commit}`),
    gather: async () => undefined,
  };
  const store: LogStore = {
    ...memory,
    work,
    async append(id, after, more) {
      if (done.length === 1 && more.some((line) => line.includes('"run.resumed"'))) {
        done.push("overtaken");
        await memory.append(id, after, others(lines.slice(begun)));
      }
      await memory.append(id, after, more);
    },
  };
  const it = stage(looping, { ...commits, store });
  await it.resume();
  expect(it.end()).toMatchObject({ conclusion: "success" });
  return { done, prompts: it.prompts };
}

test("a checkout is brought up to what another process did before this one resumed the run", async () => {
  const { done, prompts } = await resumedLate(([answered = "", begun = "", snapshot = ""]) => [
    answered,
    begun,
    snapshot.replaceAll('"c1"', '"c2"'),
  ]);
  expect(done).toEqual(["bring c1", "overtaken", "bring c2"]);
  expect(prompts).toEqual([]);
});

test("a checkout stays as it is if others wrote, but made no snapshot", async () => {
  const message = { type: "run.messaged", at, to: "fix", from: "ann", text: "hello" };
  const { done, prompts } = await resumedLate(() => [JSON.stringify(message)]);
  expect(done).toEqual(["bring c1", "overtaken"]);
  expect(prompts).toHaveLength(1);
});
