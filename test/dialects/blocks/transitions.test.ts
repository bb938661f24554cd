import { expect, test } from "vitest";
import { AgentError } from "../../../src/ports/agent.ts";
import type { Stage } from "../../parts/stage.ts";
import { blocksFile, run, type Script } from "./files.ts";

const crash = (message: string) => new AgentError("crash", message);
const soul = (...ids: readonly string[]) => ids.map((id) => `  ${id}: { type: linear, soul_ref: writer }`);

/** How each block ended, and why. */
const ends = (it: Stage) =>
  it
    .of("node.ended")
    .map(({ node, status, exit, reason }) => [node, status, exit ?? reason].filter(Boolean).join(" "));

/** The paths of the calls of agents, in order. */
const calls = async (it: Stage) =>
  (await it.store.read("test-run"))
    .map((line) => JSON.parse(line))
    .flatMap((event) => (event.type === "need.begun" ? [event.path] : []));

const exits = "exit_conditions: [{ contains: LEFT, exit_handle: left }, { contains: ODD, exit_handle: odd }]";
const fork = blocksFile(
  { entry: "a", conditional_transitions: "[{ from: a, left: b }]" },
  `  a: { type: linear, soul_ref: writer, ${exits} }`,
  ...soul("b"),
);

test.each([
  ["LEFT", ["a completed left", "b completed"], { conclusion: "success", output: "b" }],
  [
    "ODD",
    ["a completed odd", "b skipped a failed, which stops the workflow"],
    { conclusion: "failure", because: "a left by the exit odd, and no transition handles that" },
  ],
  [
    "none",
    ["a completed", "b skipped a failed, which stops the workflow"],
    { conclusion: "failure", because: "a left without an exit, and no transition handles that" },
  ],
])("a block that says %s leads on by its exit, or ends the workflow", async (says, ended, end) => {
  const it = await run(fork, (node) => (node === "a" ? says : node));
  expect(ends(it)).toEqual(ended);
  expect(it.end()).toMatchObject(end);
});

const rescue = blocksFile(
  { entry: "a", transitions: "[{ from: fix, to: a }]" },
  "  a: { type: linear, soul_ref: writer, error_route: fix }",
  ...soul("fix"),
);

test("each visit of a block has calls of its own, under the same path for people", async () => {
  let count = 0;
  const it = await run(rescue, (node) => (node === "a" && ++count < 3 ? crash("not yet") : node));
  expect(await calls(it)).toEqual(["/a", "/fix", "/a~200", "/fix~200", "/a~300"]);
  expect(it.of("node.ended").map(({ path, status }) => `${path} ${status}`)).toEqual([
    "/a failed",
    "/fix completed",
    "/a failed",
    "/fix completed",
    "/a completed",
  ]);
  expect(it.end()).toMatchObject({ conclusion: "success", output: "a", results: { fix: "fix", a: "a" } });
});

test("a block that the sequence does not reach is skipped", async () => {
  const file = blocksFile(
    { entry: "a", conditional_transitions: "[{ from: a, left: b, default: null }]" },
    `  a: { type: linear, soul_ref: writer, ${exits} }`,
    ...soul("b"),
  );
  const it = await run(file, (node) => node);
  expect(ends(it)).toEqual(["a completed", "b skipped the sequence ended with a"]);
  expect(it.end()).toMatchObject({ conclusion: "success", output: "a" });
});

test("an error route is followed fifty times at most", async () => {
  const it = await run(rescue, (node) => (node === "a" ? crash("no") : node));
  expect((await calls(it)).length).toBe(100);
  expect(it.end()).toMatchObject({
    conclusion: "failure",
    because: "the sequence reached fix more than 50 times",
  });
});

test("an error route does not catch the end of the budget", async () => {
  const it = await run(rescue.replace("blocks:", "limits: { cost_cap_usd: 1 }\nblocks:"), (node) =>
    node === "a"
      ? new AgentError("crash", "no", { usage: { input_tokens: 1, output_tokens: 0, cost_usd: 2 } })
      : node,
  );
  expect(await calls(it)).toEqual(["/a"]);
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "budget" });
});

const retried = (retry: string, script: Script) =>
  run(
    blocksFile(
      { entry: "a", transitions: "[{ from: a, to: b }]" },
      `  a: { type: linear, soul_ref: writer, retry_config: ${retry} }`,
      "  b: { type: linear, soul_ref: writer, inputs: { how: { from: __retry__a } } }",
    ),
    script,
  );

test.each([
  ["fixed", 2, [2000, 2000, 2000]],
  ["exponential", 2, [2000, 4000, 8000]],
])("with %s delays from %d s, a block waits %j ms", async (backoff, seconds, waits) => {
  let count = 0;
  const it = await retried(
    `{ max_attempts: 4, backoff: ${backoff}, backoff_base_seconds: ${seconds} }`,
    (node) => (node === "a" && ++count < 4 ? crash("not yet") : node),
  );
  expect(it.waits).toEqual(waits);
  expect(it.of("node.retried").map(({ path, attempt, reason }) => [path, attempt, reason])).toEqual([
    ["/a", 2, "not yet"],
    ["/a", 3, "not yet"],
    ["/a", 4, "not yet"],
  ]);
});

test("a block that fails as often as it may fails, and one that needs no retry leaves nothing", async () => {
  const failed = await retried("{ max_attempts: 3, backoff_base_seconds: 1 }", () => crash("no"));
  expect(failed.prompts).toHaveLength(3);
  expect(failed.end()).toMatchObject({ conclusion: "failure", because: "no" });
  const first = await retried("{ max_attempts: 3 }", (node) => node);
  expect(first.prompts.at(-1)?.prompt).toBe('## Request\nthe task\n\nDo the block "b".');
});

test("a loop that is retried reads nothing of what its failed attempt stored", async () => {
  const file = blocksFile(
    { entry: "first", transitions: "[{ from: first, to: l }]" },
    ...soul("first"),
    "  a: { type: linear, soul_ref: writer, inputs: { mine: { from: a }, first: { from: first } } }",
    ...soul("b"),
    "  l: { type: loop, inner_block_refs: [a, b], max_rounds: 1, retry_config: { max_attempts: 2 } }",
  );
  let count = 0;
  const it = await run(file, (node) => (node === "b" && ++count === 1 ? crash("not yet") : `${node} said`));
  const prompt = '## Request\nthe task\n\n## first\nfirst said\n\nDo the block "a".';
  expect(it.prompts.flatMap(({ node, prompt }) => (node === "a" ? [prompt] : []))).toEqual([prompt, prompt]);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});
