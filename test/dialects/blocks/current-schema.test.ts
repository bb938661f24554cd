import { expect, test } from "vitest";
import { blocksFile, blocksPlan, diagnosticsOf, outputsOf, promptOf, run } from "./files.ts";

const order = "[{ from: a, to: b }, { from: b, to: both }]";
const two = ["  a: { type: linear, soul_ref: writer }", "  b: { type: linear, soul_ref: critic }"];

test("a synthesize block shows its soul the outputs it names, and hands on what the soul makes of them", async () => {
  const file = blocksFile(
    { entry: "a", transitions: order },
    ...two,
    "  both: { type: synthesize, soul_ref: writer, input_block_ids: [a, b] }",
  );
  const it = await run(file, (node) => `from ${node}`);
  expect(outputsOf(it).at(-1)).toBe("/both: from both");
  expect(promptOf(it, "both")).toMatch(
    /^## Request\nthe task\n\n## a\nfrom a\n\n## b\nfrom b\n\nCombine the outputs above/,
  );
});

test.each([
  ["no blocks", "input_block_ids: []", ["BAD_VALUE 5:3"]],
  ["an unknown block", "input_block_ids: [a, c]", ["UNKNOWN_REFERENCE 5:68"]],
])("a synthesize block with %s is refused", (_, ids, expected) => {
  const file = blocksFile(
    { entry: "a", transitions: order },
    ...two,
    `  both: { type: synthesize, soul_ref: writer, ${ids} }`,
  );
  expect(diagnosticsOf(file)).toEqual(expected);
});

test("a gate judges an input that its eval_key names", async () => {
  const file = blocksFile(
    { entry: "a", transitions: "[{ from: a, to: g }]" },
    "  a: { type: linear, soul_ref: writer }",
    "  g: { type: gate, soul_ref: critic, eval_key: content, inputs: { content: { from: a.title } } }",
  );
  const it = await run(file, (node) => (node === "a" ? '{"title": "The title", "rest": "no"}' : "PASS"));
  expect(promptOf(it, "g")).toContain("<output-of-content>\nThe title\n</output-of-content>");
  expect(promptOf(it, "g")).not.toContain("rest");
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("a key that Runsight's app writes as null is as if it were not there", () => {
  const head = "limits: { max_duration_seconds: null, cost_cap_usd: null, token_cap: 5 }\n";
  const nulls = `${head}${blocksFile(
    { entry: "a", transitions: "[]" },
    "  a: { type: linear, soul_ref: writer, depends: null, error_route: null, limits: { token_cap: null }, output_conditions: [{ case_id: x, default: true, condition_group: null }] }",
    "  b: { type: code, depends: a, allowed_imports: null, code: 'def main(data): return 1', retry_config: { non_retryable_errors: null } }",
  )}`;
  const without = nulls.replaceAll(/, \w+: null|\w+: null(?:, )?/g, "");
  expect(without).not.toContain("null");
  expect(blocksPlan(nulls)).toEqual(blocksPlan(without));
});

test.each([
  ["yes", "true"],
  ["On", "true"],
  ["no", "false"],
  ["off", "false"],
])("%s is %s where a key has only these two values, as in YAML 1.1", (word, value) => {
  const file = (it: string) =>
    blocksFile({ entry: "a" }, `  a: { type: linear, soul_ref: writer, stateful: ${it} }`);
  expect(blocksPlan(file(word))).toEqual(blocksPlan(file(value)));
});

test("in a file that declares no inputs, blocks say which it has", async () => {
  const file = blocksFile(
    { entry: "a" },
    "  a: { type: linear, soul_ref: writer, inputs: { t: { from: workflow.topic.name }, m: { from: workflow.message } } }",
  );
  expect(blocksPlan(file).inputs).toEqual({ topic: {} });
  const it = await run(file, () => "done", {}, { inputs: { topic: '{"name": "bees"}' } });
  expect(promptOf(it, "a")).toContain("## t\nbees");
});

test("inputs at the top of a file are what callers may give", async () => {
  const head =
    "inputs: { topic: { type: string, description: What about }, style: { type: string, default: short } }\n";
  const file = `${head}${blocksFile({ entry: "a" }, "  a: { type: linear, soul_ref: writer, inputs: { t: { from: workflow.topic }, s: { from: workflow.style } } }")}`;
  expect(blocksPlan(file).inputs).toEqual({
    topic: { description: "What about" },
    style: { default: "short" },
  });
  const it = await run(file, () => "done", {}, { inputs: { topic: "bees", style: "short" } });
  expect(promptOf(it, "a")).toContain("## t\nbees\n\n## s\nshort");
});
