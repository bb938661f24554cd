import { describe, expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { runId, type Stage, stage } from "../parts/stage.ts";

const loop = (budget: string, more = "") => `
name: t
budget: { ${budget} }
nodes:
  - id: fix
    loop: { prompt: fix, until: DONE, max_iterations: 9${more} }
`;
const side = (budget: string) => `
name: t
budget: { ${budget} }
nodes:
  - id: each
    loop: { for_each: [a, b, c, d, e, f], max_concurrency: 6, prompt: do $ITEM }
`;

const costing = (usd: number, tokens = 0) => ({
  text: "hm",
  usage: { input_tokens: tokens, output_tokens: 0, cost_usd: usd },
});

const spent = (it: Stage) => it.end()?.usage.cost_usd ?? Number.NaN;

describe("one call after another", () => {
  test("a call whose expected cost exceeds the remaining budget is not made", async () => {
    const it = stage(loop("usd: 1"), { agent: () => costing(0.4) });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "budget", output: "" });
    expect(it.prompts).toHaveLength(2);
    expect(spent(it)).toBeCloseTo(0.8);
    expect(it.end()?.because).toContain(
      "the budget of 1 USD does not cover another call of fix (0.80 USD spent, about 0.40 USD expected)",
    );
  });

  test("one that it covers to the cent is", async () => {
    const it = stage(loop("usd: 0.3"), { agent: () => costing(0.1) });
    await it.begin();
    expect(it.prompts).toHaveLength(3);
  });

  test("what is expected follows the last calls", async () => {
    const costs = [2, 0.1, 0.1, 0.1, 0.1, 0.1];
    const it = stage(loop("usd: 4.5", ", on_max: succeed").replace("9", "6"), {
      agent: (_, call) => costing(costs[call - 1] ?? 0),
    });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 6 });
  });

  test("a warning is given once, and the run continues", async () => {
    const it = stage(loop("usd: 2, warn_at: [{ usd: 0.5 }, { tokens: 900 }]"), {
      agent: (_, call) => (call < 4 ? costing(0.3, 100) : { ...costing(0.3, 100), text: "DONE" }),
    });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 4 });
    expect(it.of("notice").filter(({ code }) => code === "BUDGET_WARNING")).toMatchObject([
      { message: "0.60 USD spent; the workflow asks for a warning at 0.5 USD", path: "/fix#2" },
    ]);
  });

  test("tokens are counted likewise", async () => {
    const it = stage(loop("tokens: 1000"), { agent: () => costing(0, 400) });
    await it.begin();
    expect(it.prompts).toHaveLength(2);
    expect(it.end()?.because).toContain("(800 tokens spent, about 400 tokens expected)");
  });

  test("what failed calls took counts as well", async () => {
    const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0.6 };
    const it = stage(loop("usd: 1", ", on_error: continue"), {
      agent: () => new AgentError("crash", "oops", { usage }),
    });
    await it.begin();
    expect(it.end()).toMatchObject({ stop_reason: "budget" });
    expect(it.prompts).toHaveLength(1);
  });

  test("the judge's calls and the worker's are expected apart", async () => {
    const it = stage(loop("usd: 3", ", until_condition: good").replace("until: DONE, ", ""), {
      agent: ({ role }) => (role === "worker" ? costing(1) : { ...costing(0.01), text: "no" }),
    });
    await it.begin();
    expect(it.prompts.map(({ role }) => role)).toEqual(["worker", "evaluator", "worker", "evaluator"]);
  });
});

describe("an agent that does not say what it takes", () => {
  const notices = (it: Stage) => it.of("notice").map(({ code, message }) => `${code} ${message}`);

  test("is not limited by a budget of tokens, with one notice", async () => {
    const it = stage(loop("tokens: 1000"), { agent: () => "hm", facts: { agent: "command:work" } });
    await it.begin();
    expect(it.prompts).toHaveLength(9);
    expect(notices(it)).toEqual([
      "USAGE_UNKNOWN command:work does not report how many tokens its calls take, so the budget of 1000 tokens cannot limit it: limit its iterations and minutes",
    ]);
  });

  test("nor one that says its tokens and no money by a budget of money", async () => {
    const it = stage(loop("usd: 1"), { agent: () => costing(0, 400) });
    await it.begin();
    expect(notices(it)).toEqual([
      "USAGE_UNKNOWN pretended does not report what its calls cost, so the budget of 1 USD cannot limit it: limit its iterations and minutes",
    ]);
  });

  test("is irrelevant if only minutes are limited", async () => {
    const it = stage(loop("minutes: 60"), { agent: () => "DONE" });
    await it.begin();
    expect(notices(it)).toEqual([]);
  });
});

describe("in parallel", () => {
  test("calls in flight keep their reservations, so that they do not spend the same remainder", async () => {
    const it = stage(side("usd: 0.03"), { agent: () => costing(0.01) });
    await it.begin();
    expect(it.end()).toMatchObject({ stop_reason: "budget" });
    expect(it.prompts.length).toBeLessThan(6);
    expect(spent(it)).toBeLessThanOrEqual(0.03 + 1e-9);
    expect(it.end()?.because).toContain("the budget of 0.03 USD is used up");
  });

  test("a budget that covers them all stops none", async () => {
    const it = stage(side("usd: 5"), { agent: () => costing(0.5) });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "success" });
    expect(it.prompts).toHaveLength(6);
  });
});

describe("parallel first calls of unknown cost", () => {
  test("are four at most, each thought to take a quarter, and overdraw the budget by no more than one of them each", async () => {
    const it = stage(side("usd: 1"), { agent: () => costing(0.3) });
    await it.begin();
    expect(it.end()).toMatchObject({ stop_reason: "budget" });
    expect(beganTogether(await it.store.read(runId))).toBe(4);
    expect(it.prompts).toHaveLength(4);
    expect(spent(it)).toBeCloseTo(1.2);
  });

  test("the others wait for them and continue by their cost", async () => {
    const it = stage(side("usd: 1"), { agent: () => costing(0.05) });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "success" });
    expect(it.prompts).toHaveLength(6);
    expect(beganTogether(await it.store.read(runId))).toBe(4);
  });

  test("with little left, each may take the most that a call took before: one begins, the others wait for it", async () => {
    const source = side("usd: 1").replace("nodes:", "nodes:\n  - { id: first, prompt: begin }");
    const it = stage(source.replace("id: each", "id: each\n    depends_on: [first]"), {
      agent: ({ node }) => costing(node === "first" ? 0.4 : 0.2),
    });
    await it.begin();
    expect(it.end()).toMatchObject({ stop_reason: "budget" });
    expect(it.prompts).toHaveLength(4);
    expect(spent(it)).toBeCloseTo(1);
  });

  test("a call that waits has its turn also when the one before it fails", async () => {
    const it = stage(side("usd: 1").replace("prompt: do", "on_error: continue, prompt: do"), {
      agent: (_, call) => (call < 5 ? new AgentError("crash", "oops") : costing(0.05)),
    });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "success" });
    expect(it.prompts).toHaveLength(6);
  });

  test("cut off anywhere and resumed, the same calls are made", async () => {
    const source = side("usd: 1");
    const whole = stage(source, { agent: () => costing(0.05) });
    await whole.begin();
    const lines = await whole.store.read(runId);
    for (let kept = 1; kept < lines.length - 1; kept += 1) {
      const again = stage(source, { log: lines.slice(0, kept), agent: () => costing(0.05) });
      await again.resume();
      expect(again.end()).toMatchObject({ conclusion: "success", iterations: 6 });
      expect(spent(again)).toBeCloseTo(0.3);
    }
  });
});

/** How many calls of agents began before the first of them was over. */
function beganTogether(lines: readonly string[]): number {
  const first = lines.findIndex((line) => line.includes('"need.met"'));
  return lines.slice(0, first).filter((line) => line.includes('"need.begun"')).length;
}

describe("over resumes", () => {
  test("a log with the fields that earlier builds wrote resumes", async () => {
    const source = loop("usd: 1");
    const first = stage(source, { agent: () => costing(0.4) });
    await first.begin();
    const [started = "", ...rest] = await first.store.read(runId);
    const old = started.replace('"limits":', '"reserves":true,"waits":true,"limits":');
    expect(old).not.toBe(started);
    const met = rest.findIndex((line) => line.includes('"need.met"'));
    const again = stage(source, { log: [old, ...rest.slice(0, met + 1)], agent: () => costing(0.4) });
    await again.resume();
    expect(spent(again)).toBeCloseTo(0.8);
  });

  test("what was spent and expected before counts on", async () => {
    const source = loop("usd: 1");
    const first = stage(source, { agent: () => costing(0.4) });
    await first.begin();
    const lines = await first.store.read(runId);
    const met = lines.findIndex((line) => line.includes('"need.met"'));
    const again = stage(source, { log: lines.slice(0, met + 1), agent: () => costing(0.4) });
    await again.resume();
    expect(again.prompts).toHaveLength(1);
    expect(spent(again)).toBeCloseTo(0.8);
  });
});

test("a decision made on a machine whose clock is a day ahead uses no minute of the budget", async () => {
  const it: Stage = stage(loop("minutes: 10"), {
    async agent(_, call) {
      if (call > 1) return "DONE";
      const at = new Date(Date.UTC(2026, 0, 2)).toISOString();
      const message = { type: "run.messaged", at, to: "fix", from: "ann", text: "look" };
      await it.store.append(runId, (await it.store.read(runId)).length, [JSON.stringify(message)]);
      return "hm";
    },
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(it.prompts).toHaveLength(2);
});

test("a call may take only the remaining minutes, and without any left the run ends as budget", async () => {
  const it = stage(loop("minutes: 1"), {
    agent: ({ timeoutMs }) => new AgentError("timeout", `not within ${timeoutMs} ms`),
  });
  const { clock } = it.world;
  let passed = 0;
  Object.assign(clock, { now: () => new Date(Date.UTC(2026, 0, 1) + 20_000 * passed++).toISOString() });
  await it.begin();
  expect(it.prompts[0]?.timeoutMs).toBeLessThanOrEqual(60_000);
  expect(it.prompts[0]?.timeoutMs).toBeGreaterThan(10_000);
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "budget" });
});
