import { expect, test } from "vitest";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import { type Agent, AgentError } from "../../src/ports/agent.ts";
import { resume, start } from "../../src/runner/run.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { planOf, runId, stage } from "../parts/stage.ts";

const source = "name: t\nnodes: [{ id: work, prompt: work }]\n";

test.each([
  { what: "a run that has not ended", cut: -2, asked: 1, ends: true },
  { what: "a run whose log lacks only its end", cut: -1, asked: 0, ends: true },
  { what: "a run that has ended", cut: undefined, asked: 1, ends: false },
])("$what: may it be resumed is asked $asked times", async ({ cut, asked, ends }) => {
  const whole = stage(source);
  await whole.begin();
  const { world } = stage(source, { log: (await whole.store.read(runId)).slice(0, cut) });
  let count = 0;
  const resuming = resume(runId, world, { assertResumable: () => void count++ });
  if (ends) expect((await resuming).ended).toBe(true);
  else await expect(resuming).rejects.toThrow("has ended");
  expect(count).toBe(asked);
});

test.each([
  { model: undefined, cheap: "cheap", judge: "cheap" },
  { model: undefined, cheap: undefined, judge: undefined },
  { model: "opus", cheap: "cheap", judge: undefined },
])("if no agent is named and the model is $model, $judge judges", async ({ model, cheap, judge }) => {
  const { facts, world, store } = stage(source);
  const plan = planOf(source);
  await start(
    { plan, facts: { ...facts, ...(model === undefined ? {} : { model }) } },
    { ...world, judge: () => (cheap === undefined ? undefined : ({ name: cheap } as Agent)) },
  );
  const [first] = (await store.read(runId)).map(parseLogEvent);
  expect(first).toMatchObject({ facts: { default_agent: "pretended" } });
  expect((first as { facts?: { default_judge?: string } }).facts?.default_judge).toBe(judge);
});

test("a run that another process cancels ends once its agent has stopped", async () => {
  const store = memoryStore();
  let hasStopped = false;
  const { facts, world } = stage(source, { store });
  const agent: Agent = {
    name: "slow",
    async answer(_, { signal }) {
      const lines = await store.read(runId);
      const cancelled = {
        type: "run.cancelled",
        at: world.clock.now(),
        by: "ann",
        because: "cancelled by ann",
      };
      await store.append(runId, lines.length, [JSON.stringify(cancelled)]);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await new Promise((resolve) => setTimeout(resolve, 50));
      hasStopped = true;
      throw signal.reason;
    },
  };
  const session = await start({ plan: planOf(source), facts }, { ...world, agent: () => agent });
  expect(session.cancelled).toBe("cancelled by ann");
  expect(hasStopped).toBe(true);
});

test("a run starts only if each of its agents can be opened; otherwise nothing is recorded", async () => {
  const opened: (string | undefined)[] = [];
  const two = "name: t\nnodes: [{ id: a, prompt: a, agent: claude }, { id: b, prompt: b, agent: codex }]\n";
  const { facts, world, store } = stage(two);
  const agent: typeof world.agent = (name) => {
    opened.push(name);
    if (name === "codex") throw new Error("codex is not installed");
    return world.agent(name);
  };
  const starting = start({ plan: planOf(two), facts }, { ...world, agent });
  await expect(starting).rejects.toThrow("codex is not installed");
  expect(await store.list()).toEqual([]);
  expect(opened).toEqual(["claude", "codex"]);
  // The agent that the user chose is opened before the run starts, and then for each call.
  await start({ plan: planOf(two), facts: { ...facts, agent: "gemini" } }, { ...world, agent });
  expect(opened.slice(2)).toEqual(["gemini", "gemini", "gemini"]);
});

test("the agent that is used if none is named is announced, and none if all are named", async () => {
  const notices: string[] = [];
  const notice = (text: string) => void notices.push(text);
  const { facts, world } = stage(source);
  await start({ plan: planOf(source), facts }, { ...world, notice });
  expect(notices).toEqual([
    "no agent was named: pretended is used, the first one that is installed and has a key or a login",
  ]);
  const named = stage(source);
  await start(
    { plan: planOf(source), facts: { ...named.facts, agent: "claude" } },
    { ...named.world, notice },
  );
  expect(notices).toHaveLength(1);
  const [first] = (await named.store.read(runId)).map(parseLogEvent);
  expect(first).toMatchObject({ facts: { agent: "claude" } });
  expect((first as { facts: object }).facts).not.toHaveProperty("default_agent");
});

test("a secret in the message or the inputs of a run is not recorded", async () => {
  const secrets = ["hush-hush-hush"];
  const facts = { message: "use hush-hush-hush", inputs: { key: "hush-hush-hush" } };
  const it = stage(source, { secrets, facts });
  await it.begin();
  const [line = ""] = await it.store.read(runId);
  expect(line).not.toContain("hush");
  expect(parseLogEvent(line)).toMatchObject({ facts: { message: "use ***", inputs: { key: "***" } } });
});

test("a resumed run ends what a killed process left, shows what was, restores its checkout and goes on", async () => {
  const looping = "name: t\nnodes: [{ id: fix, loop: { prompt: go, until: DONE, max_iterations: 2 } }]\n";
  const commits = { workspace: () => ({ commit: "c1", tree: "t1", restored: [] }), agent: () => "DONE" };
  const whole = stage(looping, commits);
  await whole.begin();
  const lines = await whole.store.read(runId);
  const cut = lines.findIndex((line) => line.includes('"need.begun"') && line.includes('"/fix#1"')) + 1;
  const it = stage(looping, { ...commits, log: lines.slice(0, cut) });
  const done: string[] = [];
  const artifacts = await it.store.artifacts(runId);
  const work = {
    keep: (...[, commit]: string[]) => void done.push(`keep ${commit}`),
    bring: async (...[, commit]: unknown[]) => void done.push(`bring ${commit}`),
    gather: async () => undefined,
  };
  await resume(runId, {
    ...it.world,
    store: { ...it.store, work },
    clearOrphans: (folder) => void done.push(folder === artifacts ? "clear" : folder),
    recall: (events) => void done.push(...events.map(({ seq, type }) => `recalled ${seq} ${type}`)),
    emit: ({ type, seq }) => void done.push(`${seq} ${type}`),
  });
  expect(done.slice(0, 9)).toEqual([
    "clear",
    "recalled 1 run.started",
    "recalled 2 node.started",
    "recalled 3 loop.started",
    "recalled 4 iteration.started",
    "recalled 5 agent.asked",
    "bring c1",
    "keep c1",
    "6 run.resumed",
  ]);
  // A snapshot is kept with the log that names it.
  expect(done.filter((what) => what === "keep c1")).toHaveLength(2);
  expect(done.at(-1)).toMatch(/ run\.ended$/);
  const resumed = (await it.store.read(runId)).map(parseLogEvent)[cut];
  expect(resumed).toMatchObject({ type: "run.resumed", by: "the test" });
});

test("a time limit ends the wait for an agent at once", async () => {
  const limit = new AbortController();
  const it = stage(source, {
    agent() {
      setImmediate(() => limit.abort());
      return new Promise<never>(() => {});
    },
  });
  Object.assign(it.world.clock, { every: () => () => undefined });
  const session = await it.begin({ timeLimit: limit.signal });
  expect(session.paused).toBe(true);
  expect(it.of("run.paused")).toMatchObject([{ stop_reason: "time-limit" }]);
});

/** A run of two agents: the second one is answered while the answer of the first one is recorded. */
function overlapping(nodes: string, answer: (node: string) => string | AgentError) {
  const store = memoryStore();
  const others = Promise.withResolvers<void>();
  const it = stage(`name: t\nnodes: [${nodes}]\n`, {
    store: {
      ...store,
      async append(id, after, lines) {
        await store.append(id, after, lines);
        if (!lines.some((line) => line.includes('"need.met"'))) return;
        others.resolve();
        await new Promise((resolve) => setTimeout(resolve, 20));
      },
    },
    async agent({ node }) {
      if (node !== "quick") await others.promise;
      return answer(node);
    },
  });
  // Nothing but the answers wakes the run.
  Object.assign(it.world.clock, { every: () => () => undefined });
  return it;
}

test("an answer that arrives while another one is recorded is taken without a wait", async () => {
  const it = overlapping("{ id: quick, prompt: a }, { id: slow, prompt: b }", () => "done");
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", results: { quick: "done", slow: "done" } });
});

test("an answer that arrives together with an error that ends the process is recorded first", async () => {
  const nodes = "{ id: quick, prompt: a }, { id: slow, prompt: b }, { id: gone, prompt: c }";
  const it = overlapping(nodes, (node) =>
    node === "gone" ? new AgentError("missing", "claude is not installed") : "done",
  );
  await expect(it.begin()).rejects.toThrow("claude is not installed");
  const events = (await it.store.read(runId)).map(parseLogEvent);
  expect(events.flatMap((event) => (event.type === "need.met" ? [event.path] : []))).toEqual([
    "/quick",
    "/slow",
  ]);
});

test("a run that fails here stops its other agents first, polls no more and can be resumed", async () => {
  const both = "name: t\nnodes: [{ id: quick, prompt: quick }, { id: slow, prompt: slow }]\n";
  const done: string[] = [];
  const it = stage(both);
  const agent: Agent = {
    name: "some",
    async answer({ node }, { signal }) {
      if (node === "quick") throw new AgentError("missing", "claude is not installed");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await new Promise((resolve) => setTimeout(resolve, 20));
      done.push("slow has stopped");
      throw signal.reason;
    },
  };
  const clock = { ...it.world.clock, every: () => () => void done.push("polls no more") };
  const starting = start({ plan: planOf(both), facts: it.facts }, { ...it.world, clock, agent: () => agent });
  await expect(starting).rejects.toThrow("claude is not installed");
  expect(done.toSorted()).toEqual(["polls no more", "slow has stopped"]);
  await it.resume();
  expect(it.end()).toMatchObject({ conclusion: "success" });
});
