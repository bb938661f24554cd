import { expect, test } from "vitest";
import { parseLogEvent } from "../../../src/engine/log-events.ts";
import { replay } from "../../../src/engine/replay.ts";
import { AgentError } from "../../../src/ports/agent.ts";
import { runId } from "../../parts/stage.ts";
import { blocksFile, outputsOf, promptOf, run, type Script } from "./files.ts";

const crash = (message: string) => new AgentError("crash", message);
const soul = (...ids: readonly string[]) => ids.map((id) => `  ${id}: { type: linear, soul_ref: writer }`);
const says: Script = (node, iteration) => `${node} ${iteration}`;

test("transitions lead from block to block, null to the end; a block's inputs are all it sees of others", async () => {
  const it = await run(
    blocksFile(
      { entry: "a", transitions: "[{ from: a, to: b }, { from: b, to: null }]" },
      ...soul("a"),
      "  b: { type: linear, soul_ref: critic, inputs: { first: { from: a }, title: { from: a.title }, none: { from: results.a.gone } } }",
    ),
    (node) => (node === "a" ? '{"title": "T"}' : "done"),
  );
  expect(outputsOf(it)).toEqual(['/a: {"title": "T"}', "/b: done"]);
  expect(promptOf(it, "b")).toBe(
    '## Request\nthe task\n\n## first\n{"title": "T"}\n\n## title\nT\n\nDo the block "b".',
  );
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "completed", output: "done" });
});

const gated = (conditional: string) =>
  blocksFile(
    {
      entry: "a",
      transitions: "[{ from: a, to: g }]",
      conditional_transitions: `[{ from: g, ${conditional} }]`,
    },
    ...soul("a", "good", "bad"),
    "  g: { type: gate, soul_ref: critic, eval_key: a }",
  );

test.each([
  {
    how: "by the exit",
    ways: "pass: good, fail: bad",
    says: "PASS",
    ends: "success",
    ran: ["good"],
    not: ["bad"],
  },
  {
    how: "by default",
    ways: "pass: good, default: bad",
    says: "no",
    ends: "success",
    ran: ["bad"],
    not: ["good"],
  },
  {
    how: "to the end",
    ways: "pass: good, default: null",
    says: "no",
    ends: "success",
    ran: [],
    not: ["good"],
  },
  { how: "nowhere", ways: "pass: good", says: "no", ends: "failure", ran: [], not: ["good"] },
])("a conditional transition leads on $how", async ({ ways, says: verdict, ends, ran, not }) => {
  const it = await run(gated(ways), (node) => (node === "g" ? verdict : node));
  const ended = (status: string) =>
    it.of("node.ended").flatMap((event) => (event.status === status ? [event.node] : []));
  expect(ended("completed")).toEqual(["a", "g", ...ran]);
  expect(ended("skipped")).toEqual(not);
  expect(it.end()).toMatchObject({ conclusion: ends });
});

test("a gate's own pass and fail lead on where it is in no loop", async () => {
  const file = blocksFile(
    { entry: "a", transitions: "[{ from: a, to: g }]" },
    ...soul("a", "good", "bad"),
    "  g: { type: gate, soul_ref: critic, eval_key: a, pass: good, fail: bad }",
  );
  const passed = await run(file, (node) => (node === "g" ? "**Pass**: fine" : node));
  expect(passed.end()).toMatchObject({ output: "good", results: { g: "**Pass**: fine" } });
  const failed = await run(file, (node) => (node === "g" ? "I say PASS" : node));
  expect(failed.end()).toMatchObject({ output: "bad", results: { g: "I say PASS" } });
});

test("a gate's output is its whole first line, or a field of the last entry of what it judged", async () => {
  const file = (more: string) =>
    blocksFile(
      { entry: "a", transitions: "[{ from: a, to: g }]" },
      ...soul("a"),
      `  g: { type: gate, soul_ref: critic, eval_key: a, stateful: true${more} }`,
    );
  const list = '[{"t": "one"}, {"t": "two"}, {"t": "three"}]';
  const failed = await run(file(""), (node) => (node === "g" ? "\n FAIL: too short \nand dull" : list));
  expect(failed.of("node.ended").at(-1)).toMatchObject({ output: "FAIL: too short", exit: "fail" });
  const passed = await run(file(", extract_field: t"), (node) => (node === "g" ? "PASS" : list));
  expect(passed.of("node.ended").at(-1)).toMatchObject({ output: "three", exit: "pass" });
});

test("a gate that passes what has no such field has the first line of its own answer as its output", async () => {
  const file = blocksFile(
    { entry: "a", transitions: "[{ from: a, to: g }]" },
    ...soul("a"),
    "  g: { type: gate, soul_ref: critic, eval_key: a, extract_field: t }",
  );
  for (const judged of ["[]", '["x"]', '[{"s": 1}]', "text"]) {
    const it = await run(file, (node) => (node === "g" ? "PASS: fine \r\nand more" : judged));
    expect(it.of("node.ended").at(-1)).toMatchObject({ output: "PASS: fine", exit: "pass" });
    expect(promptOf(it, "g")).toMatch(/\n\n<output-of-a>\n[^\n]*\n<\/output-of-a>$/);
  }
});

test("a gate fails where what it judges was never there", async () => {
  const it = await run(
    blocksFile({ entry: "g" }, ...soul("a"), "  g: { type: gate, soul_ref: critic, eval_key: a }"),
    says,
  );
  expect(it.end()).toMatchObject({
    ...{ conclusion: "failure", stop_reason: "node-failed" },
    because: expect.stringContaining("g judges a, which has no output yet"),
  });
});

test("exit conditions give an exit where the block has none: contains before regex, the first that holds", async () => {
  const rules = "[{ regex: '^o.k$', exit_handle: odd }, { contains: 'x', regex: 'ok', exit_handle: fine }]";
  const file = blocksFile(
    { entry: "a", conditional_transitions: "[{ from: a, odd: b, fine: c, default: null }]" },
    `  a: { type: linear, soul_ref: writer, exit_conditions: ${rules} }`,
    ...soul("b", "c"),
  );
  const odd = await run(file, (node) => (node === "a" ? "o.k" : node));
  expect(odd.end()).toMatchObject({ output: "b" });
  const fine = await run(file, (node) => (node === "a" ? "all ok" : node));
  expect(fine.end()).toMatchObject({ output: "c" });
  const neither = await run(file, () => "no");
  expect(neither.end()).toMatchObject({ output: "no" });
});

test("routes and output conditions choose by what the output says", async () => {
  const when = "{ eval_key: score, operator: gt, value: 5 }";
  const routed = blocksFile(
    { entry: "a" },
    "  a:",
    "    type: linear",
    "    soul_ref: writer",
    `    routes: [{ case: high, when: ${when}, goto: b }, { case: low, goto: c, default: true }]`,
    ...soul("b", "c"),
  );
  const conditioned = blocksFile(
    { entry: "a", conditional_transitions: "[{ from: a, high: b, low: c }]" },
    "  a:",
    "    type: linear",
    "    soul_ref: writer",
    `    output_conditions: [{ case_id: low, default: true }, { case_id: high, condition_group: { conditions: [${when}] } }]`,
    ...soul("b", "c"),
  );
  for (const file of [routed, conditioned]) {
    const high = await run(file, (node) => (node === "a" ? '{"score": 9}' : node));
    expect(high.end()).toMatchObject({ output: "b" });
    const low = await run(file, (node) => (node === "a" ? "text" : node));
    expect(low.end()).toMatchObject({ output: "c" });
  }
});

test("the error route of a failed block continues, and its target reads why", async () => {
  const file = blocksFile(
    { entry: "a", transitions: "[{ from: a, to: b }]" },
    "  a: { type: linear, soul_ref: writer, error_route: rescue }",
    ...soul("b"),
    "  rescue: { type: linear, soul_ref: critic, inputs: { what: { from: a } } }",
  );
  const it = await run(file, (node) => (node === "a" ? crash("broken") : node));
  expect(it.end()).toMatchObject({ conclusion: "success", output: "rescue" });
  expect(promptOf(it, "rescue")).toContain("## what\nError: broken");
  expect(it.of("node.ended")).toMatchObject([
    { node: "a", status: "failed" },
    { node: "rescue", status: "completed" },
    { node: "b", status: "skipped" },
  ]);
});

test("an error route may lead back, but not for ever", async () => {
  const file = blocksFile(
    { entry: "a", transitions: "[{ from: fix, to: a }]" },
    "  a: { type: linear, soul_ref: writer, error_route: fix }",
    ...soul("fix"),
  );
  let calls = 0;
  const twice = await run(file, (node) => {
    if (node === "fix") return "fixed";
    calls += 1;
    return calls <= 2 ? crash("not yet") : "at last";
  });
  expect(twice.end()).toMatchObject({ conclusion: "success", output: "at last" });
  const never = await run(file, (node) => (node === "a" ? crash("no") : node));
  expect(never.end()).toMatchObject({
    conclusion: "failure",
    because: expect.stringContaining("more than 50"),
  });
});
test("without an error route a failed block stops the workflow", async () => {
  const file = blocksFile({ entry: "a", transitions: "[{ from: a, to: b }]" }, ...soul("a", "b"));
  const it = await run(file, () => crash("broken"));
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "agent-error", because: "broken" });
  expect(it.of("node.ended")).toMatchObject([{ status: "failed" }, { node: "b", status: "skipped" }]);
});

test("retry_config tries again, ever later, and leaves behind how often it took", async () => {
  const retry = "{ max_attempts: 4, backoff: exponential, backoff_base_seconds: 2 }";
  let calls = 0;
  const it = await run(
    blocksFile(
      { entry: "a", transitions: "[{ from: a, to: b }]" },
      `  a: { type: linear, soul_ref: writer, retry_config: ${retry} }`,
      "  b: { type: linear, soul_ref: writer, inputs: { how: { from: __retry__a } } }",
    ),
    (node) => (node === "a" && ++calls < 4 ? crash("not yet") : node),
  );
  expect(it.waits).toEqual([2000, 4000, 8000]);
  const left = {
    attempt: 4,
    max_attempts: 4,
    total_retries: 3,
    last_error: "not yet",
    last_error_type: "agent-error",
  };
  expect(JSON.parse(promptOf(it, "b").split("## how\n")[1]?.split("\n\nDo")[0] ?? "")).toEqual(left);
  expect(it.of("node.retried").map(({ attempt }) => attempt)).toEqual([2, 3, 4]);
});

const child = (...lines: readonly string[]) => blocksFile({ entry: "x" }, ...lines);

test("a workflow block runs a child in a scope of its own, given what its inputs say", async () => {
  const it = await run(
    blocksFile(
      {
        entry: "a",
        transitions: "[{ from: a, to: sub }]",
        conditional_transitions: "[{ from: sub, completed: b }]",
      },
      ...soul("a"),
      "  sub: { type: workflow, workflow_ref: part, inputs: { topic: { from: a } }, outputs: { kept: results.x } }",
      "  b: { type: linear, soul_ref: writer, inputs: { kept: { from: shared_memory.kept }, sub: { from: sub } } }",
    ),
    (node, _, prompt) => (node === "x" ? `x saw ${/## topic\n(.*)/.exec(prompt)?.[1]}` : node),
    {
      part: blocksFile(
        { entry: "x", transitions: "[{ from: x, to: y }]", interface: "{ inputs: [{ name: topic }] }" },
        "  x: { type: linear, soul_ref: writer, inputs: { topic: { from: topic } } }",
        ...soul("y"),
      ),
    },
  );
  expect(promptOf(it, "b")).toContain("## kept\nx saw a\n\n## sub\ny");
  expect(it.end()).toMatchObject({ conclusion: "success", results: { a: "a", sub: "y" } });
  expect(it.end()?.results).not.toHaveProperty("x");
});

test("a workflow block that catches leaves by the exit error; one that does not fails", async () => {
  const file = (onError: string) =>
    blocksFile(
      { entry: "sub", conditional_transitions: "[{ from: sub, completed: a, error: b }]" },
      `  sub: { type: workflow, workflow_ref: part, on_error: ${onError} }`,
      ...soul("a", "b"),
    );
  const script: Script = (node) => (node === "x" ? crash("child broke") : node);
  const caught = await run(file("catch"), script, { part: child(...soul("x")) });
  expect(caught.end()).toMatchObject({ conclusion: "success", output: "b" });
  const raised = await run(file("raise"), script, { part: child(...soul("x")) });
  expect(raised.end()).toMatchObject({ conclusion: "failure", because: "child broke" });
});

test("a cancelled run reports the end of every block, also of those it never reached", async () => {
  const file = blocksFile(
    { entry: "l", transitions: "[{ from: l, to: b }]" },
    ...soul("a", "b", "c"),
    "  l: { type: loop, inner_block_refs: [a, c], max_rounds: 2 }",
  );
  const it = await run(file, says);
  const log = (await it.store.read(runId)).map(parseLogEvent);
  const cut = log.findIndex((event) => event.type === "need.met" && event.path === "/l#2/a");
  const events = replay([
    ...log.slice(0, cut),
    { type: "run.cancelled", at: "2026-01-01T00:00:00Z", by: "ann", because: "enough" },
  ]).take();
  const ends = events.flatMap((event) =>
    event.type === "node.ended" ? [`${event.path} ${event.status}`] : [],
  );
  expect(ends).toEqual([
    "/l#1/a completed",
    "/l#1/c completed",
    "/l#2/c cancelled",
    "/b cancelled",
    "/l#2/a cancelled",
    "/l cancelled",
  ]);
});

test("limits are the budget of the run", async () => {
  const file = blocksFile(
    { entry: "a", transitions: "[{ from: a, to: b }]", limits: "{ cost_cap_usd: 1, token_cap: 100 }" },
    ...soul("a", "b"),
  );
  const it = await run(file, () => ({
    text: "x",
    usage: { input_tokens: 100, output_tokens: 0, cost_usd: 0 },
  }));
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "budget" });
});
