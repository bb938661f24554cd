import { expect, test } from "vitest";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import { AgentError } from "../../src/ports/agent.ts";
import type { LogStore } from "../../src/ports/store.ts";
import { resume, start } from "../../src/runner/run.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { planOf, runId, type Stage, stage } from "../parts/stage.ts";

const typesIn = async (store: LogStore) => (await store.read(runId)).map((line) => parseLogEvent(line).type);
const count = (types: readonly string[], type: string) => types.filter((it) => it === type).length;

const gated = `
name: t
interactive: true
nodes:
  - { id: ok, approval: { message: sure } }
  - { id: work, prompt: work, depends_on: [ok] }
`;

/** A store in which somebody else writes just before the first line of some type is appended. */
function overtaken(type: string, event: object): LogStore {
  const store = memoryStore();
  let isDone = false;
  return {
    ...store,
    async append(id, after, lines) {
      if (!isDone && lines.some((line) => parseLogEvent(line).type === type)) {
        isDone = true;
        await store.append(id, after, [JSON.stringify(event)]);
      }
      await store.append(id, after, lines);
    },
  };
}

test("a decision recorded just before the pause is handled by the process that was about to pause", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const decided = { type: "run.decided", at, gate: "/ok", decision: "approve", by: "ann", text: "" };
  const it = stage(gated, { store: overtaken("run.paused", decided) });
  const session = await it.begin();
  expect(session.ended).toBe(true);
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(count(await typesIn(it.store), "run.paused")).toBe(0);
});

test("a message recorded just before the pause does not prevent it", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const messaged = { type: "run.messaged", at, to: "work", from: "ann", text: "mind the gap" };
  const it = stage(gated, { store: overtaken("run.paused", messaged) });
  const session = await it.begin();
  expect(session.paused).toBe(true);
  expect(count(await typesIn(it.store), "run.paused")).toBe(1);
  await it.decide("approve");
  expect(it.prompts[0]?.prompt).toMatch(/mind the gap/);
});

test("a run cancelled by another process while an agent works ends once in the log, and nothing is reported twice", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const store = memoryStore();
  const it = stage("name: t\nnodes: [{ id: work, prompt: work }]\n", {
    store,
    async agent() {
      const lines = await store.read(runId);
      const ended = { type: "run.ended", at, conclusion: "cancelled", stop_reason: "cancelled" };
      const cancelled = { type: "run.cancelled", at, by: "ann", because: "cancelled by ann" };
      await store.append(
        runId,
        lines.length,
        [cancelled, ended].map((event) => JSON.stringify(event)),
      );
      return "too late";
    },
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "cancelled" });
  expect(count(await typesIn(store), "run.ended")).toBe(1);
  expect(it.events.map(({ seq }) => seq)).toEqual(it.events.map((_, index) => index + 1));
});

test("a resume that another writer precedes reports only what is new", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const messaged = { type: "run.messaged", at, to: "work", from: "ann", text: "hello" };
  const store = overtaken("run.resumed", messaged);
  const it = stage(gated, { store });
  await it.begin();
  const before = it.events.length;
  await it.resume();
  expect(it.events.slice(before).map(({ type }) => type)).toEqual([
    "message.sent",
    "run.resumed",
    "run.paused",
  ]);
});

const pair = `
name: t
nodes:
  - { id: quick, prompt: quick }
  - { id: slow, prompt: slow }
`;

test("what has arrived when the time is up is recorded before the run pauses", async () => {
  const limit = new AbortController();
  const it = stage(pair, {
    agent: ({ node }) => (node === "quick" ? "done" : new Promise<string>(() => {})),
  });
  await startLimited(it, limit, pair);
  const lines = (await it.store.read(runId)).map(parseLogEvent);
  expect(lines.map((event) => ("path" in event ? `${event.type} ${event.path}` : event.type))).toEqual([
    "run.started",
    "need.begun /quick",
    "need.begun /slow",
    "need.met /quick",
    "run.paused",
  ]);
});

/** Begins a run whose time is up with the first answer. */
async function startLimited(it: Stage, limit: AbortController, source: string) {
  const { world } = it;
  const agent: typeof world.agent = async (name) => {
    const opened = await world.agent(name);
    return {
      ...opened,
      async answer(request, context) {
        const answer = await opened.answer(request, context);
        limit.abort();
        return answer;
      },
    };
  };
  const run = { plan: planOf(source), facts: it.facts };
  await start(run, { ...world, agent }, { timeLimit: limit.signal });
}

test("the exit of a check that was stopped with the run is no answer: the next resume runs it again", async () => {
  const limit = new AbortController();
  const source = "name: t\nnodes: [{ id: work, bash: work }]\n";
  const it = stage(source, {
    shell: (_, call, { signal }) =>
      call > 1
        ? 0
        : new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve(143));
            limit.abort();
          }),
  });
  await startLimited(it, limit, source);
  expect(await typesIn(it.store)).toEqual(["run.started", "need.begun", "run.paused"]);
  await it.resume();
  expect(it.scripts).toHaveLength(2);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("a pause and an end are reported only once everybody can see them", async () => {
  const store = memoryStore();
  const during: number[] = [];
  const it = stage(gated, {
    store: {
      ...store,
      async flush() {
        const before = it.events.length;
        await new Promise(setImmediate);
        during.push(it.events.length - before);
      },
    },
  });
  await it.begin();
  await it.decide("approve");
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(during.length).toBeGreaterThan(2);
  expect(during.every((events) => events === 0)).toBe(true);
});

test("an answer that came is kept when another agent turns out not to be there", async () => {
  const it = stage(pair, {
    agent: ({ node }, call) =>
      node === "slow" && call < 3 ? new AgentError("missing", "claude is not installed") : "done",
  });
  await expect(it.begin()).rejects.toThrow(/not installed/);
  expect(count(await typesIn(it.store), "need.met")).toBe(1);
  await it.resume();
  expect(it.prompts.filter(({ node }) => node === "quick")).toHaveLength(1);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("an end that a kill kept out of the log is written by the next resume, and the one after is refused", async () => {
  const whole = stage("name: t\nnodes: [{ id: stop, cancel: enough }]\n");
  await whole.begin();
  const log = (await whole.store.read(runId)).slice(0, 1);
  const it = stage("name: t\nnodes: [{ id: stop, cancel: enough }]\n", { log });
  expect((await it.resume()).end).toMatchObject({ conclusion: "cancelled" });
  expect(await typesIn(it.store)).toEqual(["run.started", "run.ended"]);
  await expect(resume(runId, it.world)).rejects.toThrow(/has ended/);
});

test("before an agent is asked, what is due is taken to where the log is kept; a check waits for nothing", async () => {
  const store = memoryStore();
  const order: string[] = [];
  const settling: LogStore = {
    ...store,
    async settle(id) {
      const [last = ""] = (await store.read(id)).slice(-1);
      order.push(`settle after ${parseLogEvent(last).type}`);
    },
  };
  const loop = "loop: { prompt: go, until_bash: check, max_iterations: 3 }";
  const it = stage(`name: t\nnodes: [{ id: fix, ${loop} }]\n`, {
    store: settling,
    agent: (_, number) => {
      order.push(`agent ${number}`);
      return "ok";
    },
    shell: (_, number) => (number === 2 ? 0 : 1),
  });
  await it.begin();
  expect(order).toEqual(["settle after need.begun", "agent 1", "settle after need.begun", "agent 2"]);
});

test("a run interrupted before anything was started says so when it resumes; one that was paused does not", async () => {
  const it = stage(gated);
  await it.begin();
  const [started = ""] = await it.store.read(runId);
  const cut = stage("name: t\nnodes: [{ id: work, prompt: work }]\n", { log: [startOf(started)] });
  await cut.resume();
  expect(cut.of("notice").map(({ code }) => code)).toEqual(["CUT_OFF"]);
  await it.decide("approve");
  expect(it.of("notice")).toEqual([]);
});

/** The start of a run of one prompt, in the words of another's. */
function startOf(line: string): string {
  const event = JSON.parse(line) as object;
  return JSON.stringify({ ...event, plan: planOf("name: t\nnodes: [{ id: work, prompt: work }]\n") });
}
