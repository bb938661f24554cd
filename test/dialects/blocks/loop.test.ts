import { expect, test } from "vitest";
import { AgentError } from "../../../src/ports/agent.ts";
import { blocksFile, outputsOf, promptOf, run, type Script } from "./files.ts";

const crash = (message: string) => new AgentError("crash", message);
const soul = (...ids: readonly string[]) => ids.map((id) => `  ${id}: { type: linear, soul_ref: writer }`);
const loop = (id: string, refs: string, more = "") =>
  `  ${id}: { type: loop, inner_block_refs: [${refs}]${more} }`;
const says: Script = (node, iteration) => `${node} ${iteration}`;
/** What stands under a title in a prompt. */
const under = (prompt: string, title: string) =>
  prompt.split(`## ${title}\n`)[1]?.split(/\n\n(?:## |Do )/)[0];
const remarkOf = (it: Awaited<ReturnType<typeof run>>, node: string) =>
  it.of("node.ended").findLast((event) => event.node === node)?.result;

test("a loop without a maximum runs five rounds, and running out of them is no failure", async () => {
  const it = await run(blocksFile({ entry: "l" }, ...soul("a", "b"), loop("l", "a, b")), says);
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "iterations-done", iterations: 5 });
  expect(it.end()).toMatchObject({ output: "completed_5_rounds", results: { a: "a 5", b: "b 5" } });
  expect(remarkOf(it, "l")).toEqual({
    rounds_completed: 5,
    broke_early: false,
    break_reason: "max_rounds reached",
  });
});

const exits =
  "exit_conditions: [{ contains: OUT, exit_handle: out }, { contains: AGAIN, exit_handle: again }]";
const leaving = (more: string) =>
  blocksFile(
    { entry: "l" },
    `  a: { type: linear, soul_ref: writer, ${exits} }`,
    ...soul("b"),
    loop("l", "a, b", `, max_rounds: 3${more}`),
  );

test("a break in the middle of an iteration skips its remaining blocks", async () => {
  const it = await run(leaving(", break_on_exit: out"), (node, n) =>
    node === "a" && n === 2 ? "OUT" : `${node} ${n}`,
  );
  expect(outputsOf(it)).toEqual(["/l#1/a: a 1", "/l#1/b: b 1", "/l#2/a: OUT", "/l: completed_2_rounds"]);
  expect(it.of("node.ended").filter(({ status }) => status === "skipped")).toMatchObject([
    { path: "/l#2/b" },
  ]);
  expect(remarkOf(it, "l")).toMatchObject({ break_reason: "exit_handle 'out' matched break_on_exit" });
});

test("a retry skips the rest of the iteration and its condition, and counts as an iteration", async () => {
  const condition = ", break_condition: { eval_key: any, operator: contains, value: AGAIN }";
  const it = await run(leaving(`, retry_on_exit: again${condition}`), (node, n) =>
    node === "a" ? "AGAIN" : `${node} ${n}`,
  );
  expect(it.of("stop.tested")).toEqual([]);
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "iterations-done", iterations: 3 });
  expect(outputsOf(it)).not.toContain("/l#1/b: b 1");
});

test("where one exit breaks and retries, it breaks; an exit that means nothing does nothing", async () => {
  const both = await run(leaving(", break_on_exit: out, retry_on_exit: out"), () => "OUT");
  expect(both.end()).toMatchObject({ stop_reason: "exit-handle", iterations: 1 });
  const none = await run(leaving(", break_on_exit: other"), () => "OUT");
  expect(none.end()).toMatchObject({ stop_reason: "iterations-done", iterations: 3 });
});

test("a condition looks at the last block only, also where its path names that block", async () => {
  const when = (key: string) => `, break_condition: { eval_key: ${key}, operator: equals, value: 'yes' }`;
  const script: Script = (node) => JSON.stringify({ ok: node === "b" ? "yes" : "no" });
  const plain = await run(
    blocksFile({ entry: "l" }, ...soul("a", "b"), loop("l", "a, b", when("ok"))),
    script,
  );
  expect(plain.end()).toMatchObject({ stop_reason: "condition", iterations: 1 });
  const named = await run(
    blocksFile({ entry: "l" }, ...soul("a", "b"), loop("l", "a, b", when("b.ok"))),
    script,
  );
  expect(named.end()).toMatchObject({ stop_reason: "condition", iterations: 1 });
});

test("results stay from round to round: a block sees what a later one gave in the round before", async () => {
  const file = blocksFile(
    { entry: "l" },
    "  a: { type: linear, soul_ref: writer, inputs: { review: { from: b }, round: { from: l_round } } }",
    ...soul("b"),
    loop("l", "a, b", ", max_rounds: 2"),
  );
  const it = await run(file, says);
  const seen = it.prompts.filter(({ node }) => node === "a").map(({ prompt }) => prompt);
  expect(seen.map((prompt) => [under(prompt, "review"), under(prompt, "round")])).toEqual([
    [undefined, "1"],
    ["b 1", "2"],
  ]);
});

test("what a loop declares to see its blocks see too; their own declarations win", async () => {
  const file = blocksFile(
    { entry: "first", transitions: "[{ from: first, to: l }]" },
    ...soul("first"),
    "  a: { type: linear, soul_ref: writer, inputs: { mine: { from: l_round } } }",
    loop("l", "a", ", max_rounds: 1, inputs: { mine: { from: first }, theirs: { from: first } }"),
  );
  const it = await run(file, says);
  expect([under(promptOf(it, "a"), "mine"), under(promptOf(it, "a"), "theirs")]).toEqual(["1", "first 0"]);
});

const carrying = (more: string, rounds = 3) =>
  blocksFile(
    { entry: "l", transitions: "[{ from: l, to: after }]" },
    `  a: { type: linear, soul_ref: writer, ${exits}, inputs: { seen: { from: previous_round_context } } }`,
    ...soul("b"),
    loop(
      "l",
      "a, b",
      `, max_rounds: ${rounds}, retry_on_exit: again, break_on_exit: out, carry_context: ${more}`,
    ),
    "  after: { type: linear, soul_ref: writer, inputs: { left: { from: previous_round_context } } }",
  );

async function seenIn(more: string, script: Script, rounds = 3) {
  const it = await run(carrying(more, rounds), script);
  const read = (text: string | undefined) => (text === undefined ? undefined : JSON.parse(text));
  return {
    seen: it.prompts.filter(({ node }) => node === "a").map(({ prompt }) => read(under(prompt, "seen"))),
    left: read(under(promptOf(it, "after"), "left")),
    prompts: it.prompts,
  };
}

test("the last round is carried as a mapping, nothing in the first; the blocks without a result as null", async () => {
  const { seen, left } = await seenIn("{}", (node, n) =>
    node === "a" && n === 1 ? "AGAIN" : n === 2 ? "" : `${node}${n}`,
  );
  // The retry in round 1 left b out: it never ran. An empty text is carried as one.
  expect(seen).toEqual([undefined, { a: "AGAIN", b: null }, { a: "", b: "" }]);
  expect(left).toEqual({ a: "a3", b: "b3" });
});

test("all rounds are carried as a list, oldest first, those that were retried or broke too", async () => {
  const { seen, left } = await seenIn("{ mode: all, source_blocks: [b, a] }", (node, n) =>
    node === "b" ? `b${n}` : (["a1", "AGAIN", "OUT"][n - 1] ?? ""),
  );
  // A block that a round left out is carried with what it gave before.
  const rounds = [
    { b: "b1", a: "a1" },
    { b: "b1", a: "AGAIN" },
    { b: "b1", a: "OUT" },
  ];
  expect(seen).toEqual([undefined, rounds.slice(0, 1), rounds.slice(0, 2)]);
  expect(left).toEqual(rounds);
});

test("the oldest rounds go where all are more than 3 % of the window, never the newest", async () => {
  const long = (n: number) => `${n}${"x".repeat(9_990)}`;
  const { seen, prompts } = await seenIn("{ mode: all, source_blocks: [a] }", (_, n) => long(n), 5);
  expect(seen.map((list) => list?.map(({ a }: { a: string }) => a[0]).join(""))).toEqual([
    undefined,
    "1",
    "12",
    "23",
    "34",
  ]);
  expect(prompts.findLast(({ node }) => node === "b")?.prompt).toContain(
    "## previous_round_context\n### 1\n",
  );
  const huge = await seenIn("{ mode: all, source_blocks: [a] }", (_, n) => `${n}${"x".repeat(30_000)}`);
  expect(huge.seen.map((list) => list?.length)).toEqual([undefined, 1, 1]);
});

test("context that is switched off is not carried, and a name of one's own is", async () => {
  const off = await seenIn("{ enabled: false }", says);
  expect([off.seen, off.left]).toEqual([[undefined, undefined, undefined], undefined]);
  const file = blocksFile(
    { entry: "l" },
    ...soul("a", "b"),
    loop("l", "a, b", ", max_rounds: 2, carry_context: { inject_as: notes, source_blocks: [b] }"),
  );
  const it = await run(file, says);
  expect(under(promptOf(it, "a"), "notes")).toBe('{\n  "b": "b 1"\n}');
});

test("a loop in a loop begins at its first round each time, and its names do not leak", async () => {
  const look =
    "inputs: { inner: { from: in_round }, outer: { from: out_round }, ctx: { from: previous_round_context }, how: { from: __loop__in } }";
  const file = blocksFile(
    { entry: "out" },
    "  a: { type: linear, soul_ref: writer, inputs: { inner: { from: in_round }, outer: { from: out_round }, ctx: { from: previous_round_context } } }",
    `  look: { type: linear, soul_ref: critic, ${look} }`,
    loop("in", "a", ", max_rounds: 2, carry_context: {}"),
    loop("out", "in, look", ", max_rounds: 2, carry_context: { source_blocks: [look] }"),
  );
  const it = await run(file, says);
  const rows = it.prompts.map(({ node, prompt }) =>
    [
      node,
      ...["outer", "inner", "ctx"].map((title) => under(prompt, title)?.replaceAll(/\s+/g, "") ?? "-"),
    ].join(" "),
  );
  expect(rows).toEqual([
    "a 1 1 -",
    'a 1 2 {"a":"a1"}',
    "look 1 - -",
    "a 2 1 -",
    'a 2 2 {"a":"a1"}',
    'look 2 - {"look":"look1"}',
  ]);
  expect(under(promptOf(it, "look"), "how")).toContain('"rounds_completed": 2');
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 6 });
});

test("a loop has no exit of its own; exit conditions give it one, by which a loop around it breaks", async () => {
  const file = blocksFile(
    { entry: "out" },
    ...soul("a"),
    "  in: { type: loop, inner_block_refs: [a], max_rounds: 1, exit_conditions: [{ contains: completed_1, exit_handle: once }] }",
    loop("out", "in", ", break_on_exit: once"),
  );
  const it = await run(file, says);
  expect(it.end()).toMatchObject({ stop_reason: "exit-handle", iterations: 2 });
});

test("a failure in a loop is the loop's, and its error route may take it", async () => {
  const file = (route: string) =>
    blocksFile(
      { entry: "l" },
      "  a: { type: linear, soul_ref: writer, error_route: c }",
      ...soul("b", "c"),
      loop("l", "a, b", `, max_rounds: 3${route}`),
    );
  const script: Script = (node, n) => (node === "a" && n === 2 ? crash("broke") : node);
  const failed = await run(file(""), script);
  expect(failed.end()).toMatchObject({ conclusion: "failure", stop_reason: "agent-error", iterations: 2 });
  const caught = await run(file(", error_route: c"), script);
  expect(caught.end()).toMatchObject({ conclusion: "success", output: "c" });
});

test("a loop that is retried starts again, with the state from before it", async () => {
  const file = blocksFile(
    { entry: "l" },
    "  a: { type: linear, soul_ref: writer, stateful: true, inputs: { b: { from: b }, ctx: { from: previous_round_context } } }",
    ...soul("b"),
    loop("l", "a, b", ", max_rounds: 2, carry_context: {}, retry_config: { max_attempts: 2 }"),
  );
  let calls = 0;
  const it = await run(file, (node, n) =>
    node === "b" && n === 2 && ++calls === 1 ? crash("once") : `${node}${n}`,
  );
  const asked = it.prompts.filter(({ node }) => node === "a");
  expect(asked.map(({ prompt }) => under(prompt, "b"))).toEqual([undefined, "b1", undefined, "b1"]);
  expect(asked.map(({ session }) => session)).toEqual([undefined, "session-1", undefined, "session-5"]);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("a conversation continues in a later loop over the same block", async () => {
  const file = blocksFile(
    { entry: "l", transitions: "[{ from: l, to: m }]" },
    "  a: { type: linear, soul_ref: writer, stateful: true }",
    loop("l", "a", ", max_rounds: 1"),
    loop("m", "a", ", max_rounds: 1"),
  );
  const it = await run(file, says);
  expect(it.prompts.map(({ session }) => session)).toEqual([undefined, "session-1"]);
});

test("a workflow may be a block of a loop, and starts again in each round", async () => {
  const file = blocksFile(
    { entry: "l" },
    "  sub: { type: workflow, workflow_ref: part }",
    loop("l", "sub", ", max_rounds: 2"),
  );
  const part = blocksFile(
    { entry: "x" },
    "  x: { type: linear, soul_ref: writer, stateful: true, inputs: { before: { from: y } } }",
    ...soul("y"),
    "  z: { type: loop, inner_block_refs: [y], depends: x, max_rounds: 1 }",
  );
  const it = await run(file, says, { part });
  expect(
    it.prompts
      .filter(({ node }) => node === "x")
      .map(({ prompt, session }) => [under(prompt, "before"), session]),
  ).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
  expect(it.of("node.ended").at(-1)).toMatchObject({ node: "l", output: "completed_2_rounds" });
});
