import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import { AgentError, type Usage } from "../../src/ports/agent.ts";
import { resume, start } from "../../src/runner/run.ts";
import { summarizeEvents } from "../../src/status/run-summary.ts";
import { planOf, runId, stage } from "../parts/stage.ts";

const loop = `
name: t
budget: { tokens: 1000 }
nodes:
  - id: fix
    loop: { prompt: fix, until: DONE, max_iterations: 4, on_max: succeed, on_error: continue }
`;

const taking = (count: unknown): Usage =>
  ({ input_tokens: count, output_tokens: 10, cost_usd: count }) as Usage;

test.each([Number.NaN, -500, "many", undefined])(
  "a count of %s is none: the run continues, and its log can be read",
  async (count) => {
    const it = stage(loop, { agent: () => ({ text: "hm", usage: taking(count) }) });
    await it.begin();
    expect(it.end()).toMatchObject({
      conclusion: "success",
      usage: { input_tokens: 0, output_tokens: 40, cost_usd: 0 },
    });
    expect((await it.store.read(runId)).map(parseLogEvent)).not.toHaveLength(0);
  },
);

test("one without end uses the budget up, also of a call that failed", async () => {
  const usage = taking(Number.POSITIVE_INFINITY);
  for (const outcome of [{ text: "hm", usage }, new AgentError("crash", "oops", { usage })]) {
    const it = stage(loop, { agent: () => outcome });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "budget" });
    expect(it.prompts).toHaveLength(1);
    expect((await it.store.read(runId)).map(parseLogEvent)).not.toHaveLength(0);
  }
});

test("a failed call is reported with the class of its failure", async () => {
  const usage = taking(100);
  let calls = 0;
  const agent = () => {
    calls += 1;
    return new AgentError(calls === 1 ? "overloaded" : "refused", "oops", { usage });
  };
  const it = stage(loop, { agent });
  await it.begin();
  expect(it.of("agent.failed").map(({ fault }) => fault)).toEqual(
    expect.arrayContaining(["overloaded", "refused"]),
  );
  expect(it.of("node.retried")).toMatchObject([{ fault: "overloaded" }]);
});

describe("a call that is stopped with the run", () => {
  const source = "name: t\nbudget: { tokens: 1000 }\nnodes: [{ id: fix, prompt: fix }]\n";
  /** Stopped when it has taken 600 tokens. */
  const stopped = (log: readonly string[] = []) => {
    const limit = new AbortController();
    const it = stage(source, {
      ...(log.length === 0 ? {} : { log }),
      agent: (_, __, { signal, onSpent }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            onSpent?.({ input_tokens: 500, output_tokens: 100, cost_usd: 0.1 });
            reject(signal.reason);
          });
          limit.abort();
        }),
    });
    return { it, limits: { timeLimit: limit.signal } };
  };

  test("counts its usage: the run knows it when it resumes", async () => {
    const { it, limits } = stopped();
    await start({ plan: planOf(source), facts: it.facts }, it.world, limits);
    expect(it.of("run.paused")).toHaveLength(1);
    expect(it.of("node.retried")).toHaveLength(0);
    const again = stage(source, { log: await it.store.read(runId), agent: () => "done" });
    await again.resume();
    expect(again.end()).toMatchObject({
      conclusion: "success",
      usage: { input_tokens: 500, output_tokens: 100, cost_usd: 0.1 },
    });
  });

  test("is not repeated once such calls have used the budget up", async () => {
    const first = stopped();
    await start({ plan: planOf(source), facts: first.it.facts }, first.it.world, first.limits);
    const second = stopped(await first.it.store.read(runId));
    await resume(runId, second.it.world, second.limits);
    const third = stage(source, { log: await second.it.store.read(runId) });
    await third.resume();
    expect(third.prompts).toHaveLength(0);
    expect(third.end()).toMatchObject({ conclusion: "failure", stop_reason: "budget" });
    expect(third.end()?.because).toContain("the budget of 1000 tokens is used up (1200 spent)");
  });
});

test("what a parallel call used, told only with its answer, counts for the requests of the others", async () => {
  const both = "name: t\nbudget: { tokens: 100 }\nnodes: [{ id: a, prompt: a }, { id: b, prompt: b }]\n";
  const isRecorded = Promise.withResolvers<void>();
  const refused: unknown[] = [];
  const took = (input_tokens: number) => ({ input_tokens, output_tokens: 0, cost_usd: 0 });
  const it = stage(both, {
    async agent({ node }, _, { spending, signal }) {
      if (node === "a") return { text: "done", usage: took(60) };
      await isRecorded.promise;
      for (let request = 0; request < 2; request += 1) {
        const admission = await spending?.admit({ input_tokens: 1, cost_usd: 0 }, signal);
        refused.push(admission?.refused);
        admission?.settle(took(50));
      }
      return "done";
    },
  });
  const emit: typeof it.world.emit = (event) => {
    it.events.push(event);
    if (event.type === "agent.answered") isRecorded.resolve();
  };
  await start({ plan: planOf(both), facts: it.facts }, { ...it.world, emit });
  expect(refused).toEqual([undefined, "the budget of 100 tokens is used up (110 spent)"]);
});

test("attempts that fail count in their iteration's row and in the status, as in the run's total", async () => {
  const usage = { input_tokens: 100, output_tokens: 20, cost_usd: 0.5 };
  const faults = ["overloaded", "network", "answers", "crash"] as const;
  let calls = 0;
  const it = stage(loop.replace("max_iterations: 4", "max_iterations: 2"), {
    async agent() {
      const word = faults[calls++] ?? "answers";
      if (word !== "answers") throw new AgentError(word, "trouble", { usage });
      return { text: "hm", usage };
    },
  });
  await it.begin();
  const summary = summarizeEvents(it.events.filter(({ type }) => type !== "run.ended"));
  const [rows] = summary.loops.first.map((one) => one.rows.first);
  expect(rows?.map((row) => row.usage.input_tokens)).toEqual([300, 100]);
  expect(summary.usage).toMatchObject({ input_tokens: 400, output_tokens: 80, cost_usd: 2 });
  expect(it.end()?.usage).toEqual(summary.usage);
});

test("the prices in a workflow reach its agents", async () => {
  const seen: unknown[] = [];
  const it = stage(
    "name: t\nprices: { ours: { input: 1, output: 10, cache_read: 0.1 } }\nnodes: [{ id: fix, prompt: fix }]\n",
    {
      agent(_, __, { prices }) {
        seen.push(prices);
        return { text: "done" };
      },
    },
  );
  await it.begin();
  expect(seen).toEqual([{ ours: { input: 1, output: 10, cache_read: 0.1 } }]);
});

test("what fails and would pass is not tried again once its attempts have used the budget up", async () => {
  const usage = taking(0);
  const it = stage("name: t\nbudget: { tokens: 25 }\nnodes: [{ id: fix, prompt: fix }]\n", {
    agent: () => new AgentError("overloaded", "too busy", { usage }),
  });
  Object.assign(it.world.clock, { sleep: () => wait(20) });
  await it.begin();
  expect(it.prompts).toHaveLength(3);
  expect(it.end()).toMatchObject({ stop_reason: "budget", usage: { output_tokens: 30 } });
});
