import { describe, expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { child, loop } from "../dialects/loops/files.ts";
import { eventBodies } from "../parts/event-bodies.ts";
import { type Props, type Stage, stage } from "../parts/stage.ts";

const each = (more = "", items = '["a", "b", "c"]') => `
name: t
nodes: [{ id: deploy, loop: { for_each: ${items}, prompt: "deploy $LOOP_ITEM"${more} } }]
`;

/** Items whose names start with `bad` fail. */
const agent: Props["agent"] = ({ prompt }) =>
  prompt.includes("bad") ? new AgentError("crash", `${prompt} broke`) : `did ${prompt}`;

async function ended(source: string, props: Props = {}): Promise<Stage> {
  const it = stage(source, { agent, ...props } as Props);
  await it.begin();
  return it;
}

const outcomes = (it: Stage) =>
  eventBodies(it.events).filter(({ type }) => /^(iteration|loop|node)\.(started|ended)$/.test(type));

test("the events of a loop over items name each item, what it gave, and how the loop ended", async () => {
  const it = await ended(each(", output: cumulative", '["a", {"n": 1}]'));
  const [one, two] = ["did deploy a", 'did deploy {"n":1}'];
  const output = `${one}\n---\n${two}`;
  expect(outcomes(it)).toEqual([
    { type: "node.started", path: "/deploy", node: "deploy", label: "deploy", kind: "for-each" },
    { type: "loop.started", path: "/deploy", node: "deploy", mode: "for-each", items: 2 },
    { type: "iteration.started", path: "/deploy#1", node: "deploy", number: 1, item: "a" },
    { type: "iteration.ended", path: "/deploy#1", node: "deploy", number: 1, item: "a", output: one },
    { type: "iteration.started", path: "/deploy#2", node: "deploy", number: 2, item: { n: 1 } },
    { type: "iteration.ended", path: "/deploy#2", node: "deploy", number: 2, item: { n: 1 }, output: two },
    {
      ...{ type: "loop.ended", path: "/deploy", node: "deploy", status: "completed" },
      ...{ stop_reason: "iterations-done", iterations: 2 },
    },
    {
      ...{ type: "node.ended", path: "/deploy", node: "deploy", label: "deploy", status: "completed" },
      ...{ output, result: [one, two], reason: "iterations-done" },
    },
  ]);
});

test("the result of a loop over items has the structured result of each", async () => {
  const form = "{ type: object, properties: { n: { type: number } } }";
  const source = each(`, nodes: [{ id: count, prompt: count, output_format: ${form} }]`);
  const it = await ended(source.replace('prompt: "deploy $LOOP_ITEM", ', ""), {
    agent: (_, call) => `{"n": ${call}}`,
  });
  expect(it.of("node.ended").at(-1)?.result).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test("a failed item ends the loop with its reason, and with what the items before it gave", async () => {
  const it = await ended(each("", '["a", "bad", "c"]'));
  expect(outcomes(it).slice(-2)).toEqual([
    {
      ...{ type: "loop.ended", path: "/deploy", node: "deploy", status: "failed" },
      ...{ stop_reason: "agent-error", iterations: 2 },
    },
    {
      ...{ type: "node.ended", path: "/deploy", node: "deploy", label: "deploy", status: "failed" },
      ...{ output: "did deploy a", reason: "item 2 of 3 failed: deploy bad broke" },
    },
  ]);
  const none = await ended(each(", on_error: continue", '["bad"]'));
  expect(none.of("node.ended").at(-1)).toMatchObject({ status: "completed", output: "", result: [null] });
});

describe("an item that the budget does not cover", () => {
  const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 1 };
  const spent = (source: string) =>
    ended(source.replace("nodes:", "budget: { usd: 1 }\nnodes:"), {
      agent: () => new AgentError("crash", "it fell over", { usage }),
      workflows: { one: "name: one\nnodes: [{ id: go, prompt: go }]\n" },
    });

  test("is not tried again", async () => {
    const it = await spent(each(", on_error: retry, retries: 3"));
    expect(it.of("node.retried")).toHaveLength(1);
    expect(it.end()).toMatchObject({ stop_reason: "budget" });
  });

  test("keeps the next one from starting, although another failure would not", async () => {
    const it = await spent(fanned("all_success"));
    const [one, two, three] = JSON.parse(it.of("node.ended").at(-1)?.output ?? "");
    expect([one.error, one.status]).toEqual(["it fell over", "failed"]);
    expect([two.error, two.status]).toEqual([expect.stringContaining("budget of 1 USD"), "failed"]);
    expect([three.error, three.status]).toEqual(["it never started", "cancelled"]);
    expect(it.end()?.because).toMatch(/^item 1 of 3 failed: .*; item 2 of 3 failed: .*; 1 never started$/);
  });
});

function fanned(join: string, items = '["a", "b", "c"]'): string {
  return `
name: t
nodes: [{ id: all, workflow: one, fan_out: { items: '${items}', max_parallel: 1, join: ${join} } }]
`;
}

describe("items beyond the maximum, or beside too many others", () => {
  const steps = (count: number, most: string) =>
    `name: t\nsteps: [{ id: all, loop: { forEach: [${Array.from({ length: count }).fill(1)}]${most}, steps: [{ id: one }] } }]\n`;

  test("a notice says how many items are used", async () => {
    const it = await ended(loop("mode: iterate", "max_iterations: 2", "items: [a, b, c]"), {
      workflows: { child: child("x") },
    });
    expect(it.of("notice").map(({ message, path }) => [message, path])).toEqual([
      ["only 2 of 3 items are used", "/go"],
    ]);
  });

  test.each([
    [100, []],
    [101, ["LIMIT: all has 101 items; at most 100 run at a time"]],
  ])("of %i steps, a notice says if fewer run at a time than the file allows", async (count, notices) => {
    const it = await ended(steps(count, ""), {});
    expect(it.of("notice").map(({ code, message }) => `${code}: ${message}`)).toEqual(notices);
  });
});

describe("the share of items that must succeed", () => {
  const rated = (rate: number, items: string) =>
    loop(
      "mode: iterate",
      "max_iterations: 9",
      `items: ${items}`,
      `min_success_rate: ${rate}`,
      "on_failure: continue",
      "with: { it: '{{loop.item}}' }",
    );
  const workflows = { child: child("{{it}}") };

  test("may be met exactly", async () => {
    const it = await ended(rated(0.5, "[a, bad]"), { workflows });
    expect(it.end()).toMatchObject({ conclusion: "success" });
  });

  test("fails the loop if it is not met", async () => {
    const it = await ended(rated(0.6, "[a, bad]"), { workflows });
    expect(it.of("node.ended").at(-1)).toMatchObject({ status: "failed", output: "did a" });
    expect(it.end()).toMatchObject({
      ...{ conclusion: "failure", stop_reason: "node-failed" },
      because: "only 1 of 2 items succeeded, and the required share is 0.6",
    });
  });

  test("is met by no items at all", async () => {
    const it = await ended(rated(0.5, "'[]'"), { workflows });
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 0 });
  });
});

describe("a workflow that is called for each item", () => {
  const workflows = { one: "name: one\nnodes: [{ id: go, prompt: $USER_MESSAGE }]\n" };

  test("lists what failed and what never started", async () => {
    const it = await ended(fanned("all_success", '["bad 1", "b", "bad 2"]'), { workflows });
    expect(it.end()).toMatchObject({
      stop_reason: "agent-error",
      because: "item 1 of 3 failed: bad 1 broke; item 3 of 3 failed: bad 2 broke",
    });
    expect(it.of("node.ended").at(-1)).toMatchObject({
      output: JSON.stringify([
        { archon_failed: true, error: "bad 1 broke", status: "failed" },
        "did b",
        { archon_failed: true, error: "bad 2 broke", status: "failed" },
      ]),
    });
  });

  test("has the outputs of all items as its own, if none failed", async () => {
    const it = await ended(fanned("all_success", '["a", "b"]'), { workflows });
    expect(it.of("node.ended").at(-1)).toMatchObject({
      ...{ status: "completed", reason: "iterations-done" },
      ...{ output: '["did a","did b"]', result: ["did a", "did b"] },
    });
  });

  test("lists failures in the order of the items, whichever ended first", async () => {
    let releaseFirst = (_: AgentError) => {};
    const first = new Promise<AgentError>((resolve) => {
      releaseFirst = resolve;
    });
    const source = fanned("all_success", '["one", "two"]').replace("max_parallel: 1", "max_parallel: 2");
    const it = await ended(source, {
      workflows,
      agent({ prompt }) {
        if (prompt === "one") return first;
        setTimeout(() => releaseFirst(new AgentError("refused", "one broke")), 20);
        return new AgentError("crash", "two broke");
      },
    });
    expect(it.of("iteration.ended").map(({ number }) => number)).toEqual([2, 1]);
    expect(it.end()?.because).toBe("item 1 of 2 failed: one broke; item 2 of 2 failed: two broke");
  });
});

test("steps over a list fail with the output of the items that succeeded", async () => {
  const source =
    "name: t\nsteps: [{ id: all, loop: { forEach: [a, b, c, bad, e], maxConcurrency: 1, steps: [{ id: one }] } }]\n";
  const it = await ended(source, {
    agent: ({ prompt }) => (prompt.includes("bad") ? new AgentError("crash", "it broke") : prompt.slice(-30)),
  });
  expect(it.of("node.ended").at(-1)).toMatchObject({
    ...{ status: "failed", reason: "item 4 of 5 failed: it broke; 1 never started" },
    output: it.of("iteration.ended")[2]?.output,
  });
});
