import { expect, test } from "vitest";
import type { ScriptRequest } from "../../src/ports/script.ts";
import type { ShellAnswer } from "../../src/ports/shell.ts";
import { blocksFile, blocksPlan } from "../dialects/blocks/files.ts";
import { type Props, type Stage, stage } from "../parts/stage.ts";

/** A run whose programs answer this, with what they were asked. */
async function played(
  source: Parameters<typeof stage>[0],
  answer: Partial<ShellAnswer>,
  props: Props = {},
): Promise<{ readonly it: Stage; readonly asked: readonly ScriptRequest[] }> {
  const it = stage(source, props);
  const asked: ScriptRequest[] = [];
  Object.assign(it.world.script, {
    run: async (request: ScriptRequest) => {
      asked.push(request);
      return { exitCode: 0, stdout: "", tail: "", ...answer };
    },
  });
  await it.begin();
  return { it, asked };
}

const ends = (it: Stage) =>
  it
    .of("node.ended")
    .map(({ node, status, output, exit, reason }) => ({ node, status, output, exit, reason }));

test("a program gets the run's values as variables, and those its source names as JSON", async () => {
  const { it, asked } = await played(
    `name: t
inputs: { who: { default: ann } }
nodes:
  - { id: a, script: "print($USER_MESSAGE)", runtime: uv, deps: [requests] }
  - { id: b, script: count, runtime: bun, timeout: 1000, depends_on: [a] }
`,
    { stdout: "done\n" },
    { facts: { inputs: { who: "ann" } } },
  );
  const env = { USER_MESSAGE: "the message", INPUTS_WHO: "ann", DOCS_DIR: "docs/" };
  expect(asked).toMatchObject([
    {
      runtime: "uv",
      source: { inline: 'print("the message")' },
      deps: ["requests"],
      env,
      timeoutMs: 120_000,
    },
    { runtime: "bun", source: { file: expect.stringContaining("count") }, deps: [], env, timeoutMs: 1000 },
  ]);
  expect(ends(it)).toMatchObject([
    { node: "a", status: "completed", output: "done" },
    { node: "b", status: "completed", output: "done" },
  ]);
});

test("a program may be skipped at its time limit; without that, it fails", async () => {
  const file = (more: string) =>
    `name: t\nnodes: [{ id: a, script: "print(1)", runtime: uv, timeout: 1000${more} }]\n`;
  const skipped = await played(file(", on_timeout: skip"), { timedOut: true });
  expect(ends(skipped.it)).toMatchObject([{ status: "skipped", reason: "it ran over its time limit" }]);
  const failed = await played(file(""), { timedOut: true, exitCode: 143 });
  expect(ends(failed.it)).toMatchObject([{ status: "failed", reason: "the script ran over its time limit" }]);
});

const code = (inputs: string) =>
  blocksFile(
    { entry: "a", transitions: "[{ from: a, to: l }]" },
    "  a: { type: linear, soul_ref: writer }",
    `  c: { type: code, code: 'def main(data): return 1'${inputs} }`,
    "  l: { type: loop, inner_block_refs: [c], max_rounds: 2 }",
  );

test("a block's code reads its inputs, then outputs, then the memory and the run's inputs", async () => {
  const source = blocksPlan(code(", inputs: { first: { from: a }, l_round: { from: a.n } }"));
  const { asked } = await played(
    source,
    { stdout: '{"output": "one"}' },
    {
      agent: () => '{"n": "input"}',
      facts: { inputs: { a: "not this", who: "ann" } },
    },
  );
  const a = '{"n": "input"}';
  const round = (number: number, outputs: Readonly<Record<string, string>>) => {
    const memory = { a: "not this", who: "ann", l_round: number };
    return {
      ...{ results: outputs, shared_memory: memory, metadata: memory },
      ...{ who: "ann", ...outputs, first: a, l_round: "input" },
    };
  };
  expect(asked.map(({ env }) => JSON.parse(env["UNTIL_GREEN_DATA"] ?? ""))).toEqual([
    round(1, { a }),
    round(2, { a, c: "one" }),
  ]);
});

test.each([
  ['{"output": "one", "exit": "left"}', { output: "one", exit: "left" }],
  ['{"output": "one", "exit": ""}', { output: "one", exit: undefined }],
  ['{"output": "", "exit": 3}', { output: "", exit: undefined }],
  ['{"output": 1}', { output: "Error: the program printed something else than its result" }],
  ['[{"output": "one"}]', { output: "Error: the program printed something else than its result" }],
  ["prose", { output: "Error: the program printed something else than its result" }],
])("a block's code that printed %s has ended so", async (stdout, end) => {
  const { it } = await played(blocksPlan(code("")), { stdout });
  expect(ends(it).find(({ node }) => node === "c")).toMatchObject({ status: "completed", ...end });
});

test("a block's code that failed has failed, whatever it printed", async () => {
  const { it } = await played(blocksPlan(code("")), { exitCode: 1, stdout: '{"output": "one"}', tail: "no" });
  expect(ends(it).find(({ node }) => node === "c")).toMatchObject({
    status: "failed",
    reason: "the program exited with 1: no",
  });
});
