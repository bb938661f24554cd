import { expect, test, vi } from "vitest";
import { AgentError } from "../../../src/ports/agent.ts";
import { blocksFile, blocksPlan, diagnosticsOf, outputsOf, promptOf, run, type Script } from "./files.ts";

// Python starts slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const crash = (message: string) => new AgentError("crash", message);
const soul = (...ids: readonly string[]) => ids.map((id) => `  ${id}: { type: linear, soul_ref: writer }`);
const loop = (id: string, refs: string, more = "") =>
  `  ${id}: { type: loop, inner_block_refs: [${refs}]${more} }`;
const code = (id: string, main: string) =>
  `  ${id}: { type: code, code: ${JSON.stringify(`def main(data):\n    ${main}\n`)} }`;
const says: Script = (node, iteration) => `${node} ${iteration}`;
const under = (prompt: string, title: string) =>
  prompt.split(`## ${title}\n`)[1]?.split(/\n\n(?:## |Do )/)[0];

test("a file needs no version, id or kind, may have all three, and may be JSON", () => {
  const plain = {
    workflow: { name: "w", entry: "a" },
    blocks: { a: { type: "linear", soul_ref: "writer" } },
  };
  const full = { version: "1.0", id: "my-flow", kind: "workflow", ...plain };
  expect(diagnosticsOf(JSON.stringify(plain))).toEqual([]);
  expect(blocksPlan(JSON.stringify(full))).toEqual(blocksPlan(JSON.stringify(plain)));
});

test("souls are in the file, or else in files of their own; those of the file need no kind or name", () => {
  const file = `souls: { writer: { id: writer, role: poet, system_prompt: mine } }\n${blocksFile({ entry: "a" }, ...soul("a"))}`;
  expect(blocksPlan(file).agents).toEqual({ writer: { instructions: "mine" } });
  expect(blocksPlan(blocksFile({ entry: "a" }, ...soul("a"))).agents).toEqual({
    writer: { instructions: "You are the writer." },
  });
});

test("a block has no exit unless something gives it one: an exit called done breaks nothing", async () => {
  const it = await run(
    blocksFile({ entry: "l" }, ...soul("a"), loop("l", "a", ", max_rounds: 2, break_on_exit: done")),
    says,
  );
  expect(it.end()).toMatchObject({ stop_reason: "iterations-done", iterations: 2 });
});

test("code leaves by the exit it returns, in a loop too; its conditions do not look where it has one", async () => {
  const rule = "exit_conditions: [{ contains: n, exit_handle: other }]";
  const file = blocksFile(
    { entry: "l" },
    code(
      "a",
      'return {"n": data["l_round"], "exit_handle": "found" if data["l_round"] == 2 else ""}',
    ).replace("type: code,", `type: code, ${rule},`),
    ...soul("b"),
    loop("l", "a, b", ", max_rounds: 4, break_on_exit: found, retry_on_exit: other"),
  );
  const it = await run(file, says);
  expect(it.end()).toMatchObject({ stop_reason: "exit-handle", iterations: 2 });
  expect(it.of("node.ended").map(({ node, exit }) => `${node} ${exit}`)).toContain("a other");
  expect(it.prompts).toEqual([]);
});

test("the exit error of a block that has not failed takes its error route too", async () => {
  const file = blocksFile(
    { entry: "a", transitions: "[{ from: a, to: b }]" },
    code("a", "raise KeyError('gone')").replace("type: code", "type: code, error_route: rescue"),
    ...soul("b"),
    "  rescue: { type: linear, soul_ref: writer, inputs: { why: { from: a } } }",
  );
  const it = await run(file, says);
  expect(it.end()).toMatchObject({ conclusion: "success", output: "rescue 0" });
  expect(under(promptOf(it, "rescue"), "why")).toBe("Error: KeyError: 'gone'");
});

test("a gate judges the whole output; a field of it is passed on only if it passes", async () => {
  const file = blocksFile(
    { entry: "a", transitions: "[{ from: a, to: g }]" },
    ...soul("a"),
    "  g: { type: gate, soul_ref: critic, eval_key: a, extract_field: t }",
  );
  const list = '[{"t": "one"}, {"t": "two"}]';
  const it = await run(file, (node) => (node === "g" ? "FAIL: no" : list));
  expect(promptOf(it, "g")).toContain(list);
  expect(it.of("node.ended").at(-1)).toMatchObject({ output: "FAIL: no", exit: "fail" });
  const silent = await run(file, (node) => (node === "g" ? "  " : list));
  expect(silent.of("node.ended").at(-1)?.exit).not.toBe("pass");
});

test("a condition looks at the whole of an output that is no object, whatever its path says", async () => {
  const when = (test: string) => `, max_rounds: 3, break_condition: { eval_key: any.path, ${test} }`;
  const rounds = async (test: string, script: Script) => {
    const it = await run(blocksFile({ entry: "l" }, ...soul("a"), loop("l", "a", when(test))), script);
    return it.end()?.iterations;
  };
  expect(await rounds("operator: gte, value: 2", (_, n) => String(n))).toBe(2);
  expect(await rounds("operator: contains, value: 2", (_, n) => `[1, ${n}]`)).toBe(2);
  expect(await rounds("operator: neq, value: 1", () => "no number")).toBe(3);
  expect(await rounds("operator: not_exists", () => "text")).toBe(1);
});

test("a group holds where one of its conditions does, or all of them", async () => {
  const group = (combinator: string) =>
    `, max_rounds: 4, break_condition: { ${combinator}conditions: [{ eval_key: n, operator: gt, value: 1 }, { eval_key: n, operator: gt, value: 2 }] }`;
  const rounds = async (combinator: string) => {
    const it = await run(
      blocksFile({ entry: "l" }, ...soul("a"), loop("l", "a", group(combinator))),
      (_, n) => `{"n": ${n}}`,
    );
    return it.end()?.iterations;
  };
  expect(await rounds("combinator: or, ")).toBe(2);
  expect(await rounds("combinator: and, ")).toBe(3);
  expect(await rounds("")).toBe(3);
});

test("after a loop its last round, how it went, and what its blocks gave last are there for what follows", async () => {
  const file = blocksFile(
    { entry: "l", transitions: "[{ from: l, to: after }]" },
    ...soul("a"),
    loop("l", "a", ", max_rounds: 3"),
    code("after", 'return [data["l_round"], data["a"], data["l"], data["__loop__l"]["break_reason"]]'),
  );
  expect((await run(file, says)).end()?.output).toBe(
    '[3, "a 3", "completed_3_rounds", "max_rounds reached"]',
  );
});

test("blocks of every type work in a loop, those that lead elsewhere outside of it too", async () => {
  const file = blocksFile(
    { entry: "l", transitions: "[{ from: text, to: end }, { from: l, to: end }]" },
    ...soul("text", "end"),
    "  fan: { type: dispatch, exits: [{ id: one, soul_ref: writer, task: T }] }",
    code("sum", 'return len(data["fan.one"])'),
    "  sub: { type: workflow, workflow_ref: part }",
    loop("inner", "text", ", max_rounds: 1"),
    "  g: { type: gate, soul_ref: critic, eval_key: sum, pass: end, fail: end }",
    loop("l", "text, fan, sum, sub, inner, g", ", max_rounds: 2, break_on_exit: pass"),
  );
  const part = blocksFile({ entry: "x" }, ...soul("x"));
  const it = await run(file, (node, n) => (node === "g" ? (n === 2 ? "PASS" : "FAIL") : `${node} ${n}`), {
    part,
  });
  expect(outputsOf(it).slice(-3)).toEqual(["/l#2/g: PASS", "/l: completed_2_rounds", "/end: end 0"]);
  expect(it.end()?.results).toMatchObject({ sum: "5", sub: "x 2", inner: "completed_1_rounds" });
});

test("a block in a loop is retried alone, and its failed attempt is not in its conversation", async () => {
  const file = blocksFile(
    { entry: "l" },
    "  a: { type: linear, soul_ref: writer, stateful: true, retry_config: { max_attempts: 2, backoff_base_seconds: 1 } }",
    code("b", 'return data.get("__retry__a", {}).get("total_retries")'),
    loop("l", "a, b", ", max_rounds: 2"),
  );
  let calls = 0;
  const it = await run(file, (node, n) =>
    ++calls === 2 ? crash("once") : { text: `${node} ${n}`, session: `after call ${calls}` },
  );
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2 });
  expect(it.prompts.map(({ session }) => session)).toEqual([undefined, "after call 1", "after call 1"]);
  expect(it.end()?.results["b"]).toBe("1");
});

test("several blocks may lead to one that depends on them", async () => {
  const file = blocksFile(
    { entry: "a", conditional_transitions: "[{ from: a, error: b, default: c }]" },
    ...soul("a", "b", "c"),
    "  d: { type: linear, soul_ref: writer, depends: [b, c] }",
  );
  const it = await run(file, says);
  expect(outputsOf(it)).toEqual(["/a: a 0", "/c: c 0", "/d: d 0"]);
});

test("the time limit of a workflow block applies to all of its blocks together", async () => {
  const file = (more: string) =>
    blocksFile({ entry: "sub" }, `  sub: { type: workflow, workflow_ref: part${more} }`);
  const node = (more: string) => {
    const part = blocksFile({ entry: "x" }, ...soul("x"));
    return blocksPlan(file(more), { part }).body.nodes[0];
  };
  expect(node("")).not.toHaveProperty("timeoutMs");
  expect(node(", timeout_seconds: 90")).toMatchObject({ kind: "call", timeoutMs: 90_000 });
  const part = blocksFile({ entry: "x" }, ...soul("x"));
  const it = await run(file(", timeout_seconds: 90"), says, { part });
  // Less than the five minutes of its own that a soul has.
  expect(it.prompts[0]?.timeoutMs).toBeGreaterThan(80_000);
  expect(it.prompts[0]?.timeoutMs).toBeLessThanOrEqual(90_000);
});

test("the time limit of a loop applies to all of its iterations together", async () => {
  const file = blocksFile({ entry: "l" }, ...soul("a"), loop("l", "a", ", timeout_seconds: 90"));
  const it = await run(file, says);
  expect(it.prompts).toHaveLength(5);
  for (const { timeoutMs } of it.prompts) expect(timeoutMs).toBeLessThanOrEqual(90_000);
});

test.each([
  ["equals", false],
  ["not_equals", true],
  ["not_contains", true],
  ["eq", false],
  ["neq", false],
  ["is_empty", true],
  ["exists", false],
])("a condition takes a field that is not there for null: %s is %j", async (operator, isMet) => {
  const condition = `, max_rounds: 1, break_condition: { eval_key: gone, operator: ${operator}, value: 1 }`;
  const it = await run(
    blocksFile({ entry: "l" }, ...soul("a"), loop("l", "a", condition)),
    () => '{"here": 1}',
  );
  expect(it.end()).toMatchObject({ stop_reason: isMet ? "condition" : "iterations-done" });
});

test.each([
  ["gate", "", []],
  ["code", "", ["~IGNORED_FIELD 3:8"]],
])("stateful: what it means to a %s", (type, _, expected) => {
  const fields = {
    gate: "soul_ref: critic, eval_key: b",
    code: '{code: "def main(data): return 1"}'.slice(1, -1),
  }[type];
  const text = blocksFile(
    { entry: "b", transitions: "[{ from: b, to: a }]" },
    `  a: { stateful: true, type: ${type}, ${fields} }`,
    ...soul("b"),
  );
  expect(diagnosticsOf(text)).toEqual(expected);
});

test("limits are time, money and tokens, with a notice at a part of each", () => {
  const limits = (text: string) => blocksPlan(blocksFile({ entry: "a", limits: text }, ...soul("a"))).budget;
  expect(limits("{ max_duration_seconds: 90, cost_cap_usd: 0.5, token_cap: 7 }")).toEqual({
    minutes: 1.5,
    usd: 0.5,
    tokens: 7,
    warnings: [{ minutes: 1.2, usd: 0.4, tokens: 6 }],
  });
  expect(limits("{ cost_cap_usd: 2, warn_at_pct: 0.25 }")).toEqual({ usd: 2, warnings: [{ usd: 0.5 }] });
  expect(limits("{ cost_cap_usd: 2, warn_at_pct: 0 }")).toEqual({ usd: 2 });
});

test("limits that only warn end nothing", () => {
  const plan = blocksPlan(
    blocksFile({ entry: "a", limits: "{ token_cap: 10, on_exceed: warn }" }, ...soul("a")),
  );
  expect(plan.budget).toEqual({ warnings: [{ tokens: 8 }, { tokens: 10 }] });
});

test.each([
  ["", 300_000],
  ["limits: { max_duration_seconds: 20 }", 20_000],
  ["limits: { max_duration_seconds: 20 }, timeout_seconds: 9", 9000],
  ["limits: { max_duration_seconds: 900 }", 300_000],
  ["limits: { max_duration_seconds: 20, on_exceed: warn }", 300_000],
])("the time of a block with `%s` is %d ms", (keys, timeoutMs) => {
  const text = blocksFile({ entry: "a" }, `  a: { type: linear, soul_ref: critic${keys && `, ${keys}`} }`);
  expect(blocksPlan(text).body.nodes).toMatchObject([{ call: { timeoutMs } }]);
});

test("a block's own money and tokens are ignored with a warning", () => {
  const text = blocksFile(
    { entry: "a" },
    "  a: { type: linear, soul_ref: critic, limits: { cost_cap_usd: 1, token_cap: 2, on_exceed: fail } }",
  );
  expect(diagnosticsOf(text).map((result) => result.split(" ")[0])).toEqual([
    "~IGNORED_FIELD",
    "~IGNORED_FIELD",
  ]);
});
