import { expect, test } from "vitest";
import { compile } from "../../../src/compile/compile.ts";
import { filesOf } from "./files.ts";

/** Everything said about a text: `CODE`, and what stands in the text at its place. */
function diagnosticsAt(text: string): readonly string[] {
  const compiled = compile({ text, file: "w.yaml" }, filesOf());
  const lines = text.split("\n");
  return (compiled.ok ? compiled.warnings : compiled.diagnostics).map(
    ({ code, message, line, column, warning }) => {
      expect(message).not.toMatch(/undefined|\bat .*:\d+|Error:/);
      const rest = lines[line - 1]?.slice(column - 1) ?? "";
      const there = rest.match(/^["']?[\w.]+/)?.[0] ?? (rest.charAt(0) || "end");
      return `${warning ? "~" : ""}${code} ${there}`;
    },
  );
}

const head = "workflow: { name: w, entry: a }";
const a = "a: { type: linear, soul_ref: writer }";
const b = "b: { type: linear, soul_ref: writer }";
const file = (blocks: string) => `${head}\nblocks: ${blocks}\n`;
const block = (fields: string) => file(`{ a: { ${fields} } }`);
const linear = (fields: string) => block(`type: linear, soul_ref: writer, ${fields}`);
const loop = (fields: string) => file(`{ a: { type: loop, ${fields} }, ${b} }`);
const top = (key: string) => `${key}\n${file(`{ ${a} }`)}`;
const workflow = (value: string) => `workflow: ${value}\nblocks: { ${a} }\n`;

test.each<[string, string, readonly string[]]>([
  ["nothing under blocks", file("~"), ["UNKNOWN_REFERENCE a", "NO_NODES ~"]],
  ["blocks in a list", file("[a]"), ["UNKNOWN_REFERENCE a", "NO_NODES ["]],
  ["a block that is nothing", file("{ a: ~ }"), ["BAD_VALUE ~"]],
  ["a block that is text", file("{ a: linear }"), ["BAD_VALUE linear"]],
  ["a name that is a number", workflow("{ name: 3, entry: a }"), ["BAD_VALUE 3"]],
  ["an entry that is a list", workflow("{ name: w, entry: [a] }"), ["BAD_VALUE [", "~IGNORED_FIELD a"]],
  ["a block twice", file(`\n  ${a}\n  ${a}`), ["DUPLICATE_KEY a"]],
  [
    "names of JavaScript's own",
    file(`{ ${a}, __proto__: { type: linear }, constructor: { type: linear } }`),
    ["UNKNOWN_FIELD __proto__", "UNKNOWN_FIELD constructor"],
  ],
  ["a type of JavaScript's own", block("type: toString"), ["BAD_VALUE toString"]],
  ["a type that is a mapping", block("type: { linear: 1 }"), ["BAD_VALUE {"]],
  ["a soul of JavaScript's own", block("type: linear, soul_ref: valueOf"), ["UNKNOWN_AGENT valueOf"]],
  ["a dependency on itself", linear("depends: a"), ["CYCLE a"]],
  ["a dependency that is a mapping", linear("depends: { a: b }"), ["BAD_VALUE {"]],
  ["inner blocks as text", loop("inner_block_refs: b"), ["BAD_VALUE b", "~IGNORED_FIELD b"]],
  [
    "inner blocks of every kind",
    loop("inner_block_refs: [3, ~, [b], z]"),
    ["BAD_VALUE 3", "BAD_VALUE ~", "BAD_VALUE [", "~IGNORED_FIELD b"],
  ],
  ["rounds that are no number", loop("inner_block_refs: [b], max_rounds: ~"), ["LOOP_MAX_RANGE ~"]],
  ["a condition that is a list", loop("inner_block_refs: [b], break_condition: []"), ["BAD_VALUE ["]],
  [
    "operators that are none",
    loop(
      "inner_block_refs: [b], break_condition: { conditions: [{ eval_key: x, operator: 3 }, { eval_key: x, operator: toString }] }",
    ),
    ["BAD_OPERATOR 3", "BAD_OPERATOR toString"],
  ],
  [
    "a group in a group",
    loop("inner_block_refs: [b], break_condition: { conditions: [{ conditions: [] }] }"),
    ["BAD_VALUE {", "BAD_VALUE {", "UNKNOWN_FIELD conditions"],
  ],
  [
    "context that is text, then one with a blank name",
    loop("inner_block_refs: [b], carry_context: last").replace(
      "b:",
      "c: { type: loop, inner_block_refs: [b], depends: a, carry_context: { inject_as: ' ' } }, b:",
    ),
    ["BAD_VALUE last", "BAD_VALUE '"],
  ],
  [
    "transitions of every kind",
    workflow(
      "{ name: w, entry: a, transitions: [3, {}, { from: 1, to: 2 }], conditional_transitions: [x, { from: a, y: [1] }] }",
    ),
    [
      "BAD_VALUE 3",
      "BAD_VALUE {",
      "BAD_VALUE {",
      "BAD_VALUE 1",
      "BAD_VALUE 2",
      "BAD_VALUE x",
      "UNKNOWN_REFERENCE y",
      "BAD_VALUE [",
    ],
  ],
  ["transitions as a mapping", workflow("{ name: w, entry: a, transitions: { a: b } }"), ["BAD_VALUE {"]],
  ["souls in a list", top("souls: [writer]"), ["BAD_VALUE ["]],
  ["a soul that is nothing", top("souls: { writer: ~ }"), ["~IGNORED_FIELD writer", "BAD_VALUE ~"]],
  [
    "a soul wrong all over",
    top("souls: { s: { id: t, kind: cat, name: [x], temperature: hot, color: red } }"),
    ["BAD_VALUE s", "BAD_ID t", "BAD_VALUE cat", "BAD_VALUE [", "BAD_VALUE hot", "UNKNOWN_FIELD color"],
  ],
  [
    "limits beyond all bounds",
    top("limits: { max_duration_seconds: 0, cost_cap_usd: -1, token_cap: 1.5, on_exceed: shrug, usd: 1 }"),
    ["BAD_VALUE 0", "BAD_VALUE -", "BAD_VALUE 1.5", "BAD_VALUE shrug", "UNKNOWN_FIELD usd"],
  ],
  [
    "an interface of every kind",
    top("interface: { inputs: [3, { name: 3 }, {}] }"),
    ["BAD_VALUE 3", "BAD_VALUE 3", "BAD_VALUE {"],
  ],
  ["an interface whose inputs are a mapping", top("interface: { inputs: { x: 1 } }"), ["BAD_VALUE {"]],
  ["another kind of file", top("kind: soul"), ["BAD_VALUE soul"]],
  ["a tool twice", top("tools: [x, y, x]"), ["~IGNORED_FIELD tools", "DUPLICATE_ID x"]],
  [
    "retries and times that are none",
    linear("retry_config: [], timeout_seconds: soon"),
    ["BAD_VALUE [", "BAD_VALUE soon"],
  ],
  [
    "exits of every kind",
    linear(
      "exits: x, exit_conditions: [3, { contains: 3, exit_handle: '' }], output_conditions: [{}], routes: y",
    ),
    [
      "BAD_VALUE x",
      "BAD_VALUE 3",
      "BAD_VALUE {",
      "BAD_VALUE 3",
      "BAD_VALUE '",
      "BAD_VALUE {",
      "BAD_VALUE {",
      "BAD_VALUE routes",
      "BAD_VALUE y",
    ],
  ],
  [
    "patterns that are none",
    linear("exit_conditions: [{ regex: '(', exit_handle: x }, { regex: '(a+)+$', exit_handle: x }]"),
    ["BAD_EXPRESSION '", "BAD_EXPRESSION '"],
  ],
  [
    "a workflow out of the checkout",
    block("type: workflow, workflow_ref: ../../../secrets, max_depth: 0, on_error: shrug"),
    ["UNKNOWN_WORKFLOW ..", "~IGNORED_FIELD max_depth", "BAD_VALUE 0", "BAD_VALUE shrug"],
  ],
  [
    "code that is no text, in a language nobody speaks",
    block("type: code, code: 3, language: ruby, allowed_imports: os"),
    ["BAD_VALUE 3", "BAD_VALUE ruby", "BAD_VALUE os"],
  ],
  [
    "a module that no list may allow",
    block('type: code, allowed_imports: [os], code: "import os\\ndef main(d):\\n  return 1"'),
    ['CODE_REJECTED "import'],
  ],
  [
    "inputs from nowhere",
    linear("inputs: { x: { from: ~ }, y: '', z: ., u: results., v: [a] }"),
    ["BAD_VALUE {", "BAD_VALUE '", "UNKNOWN_REFERENCE .", "UNKNOWN_REFERENCE results.", "BAD_VALUE ["],
  ],
  [
    "a gate wrong all over",
    block("type: gate, soul_ref: 3, eval_key: [a], extract_field: 3, pass: a, fail: ~"),
    ["BAD_VALUE 3", "BAD_VALUE [", "BAD_VALUE 3", "BAD_VALUE pass", "BAD_VALUE ~"],
  ],
  ["YAML that stops", `${head}\nblocks: { a: { type: linear\n`, ["BAD_YAML {"]],
  ["tabs", `${head}\nblocks:\n\ta: {}\n`, ["BAD_YAML \t"]],
  ["a tag that runs programs", file("{ a: !!python/object:os.system {} }"), ["BAD_YAML !"]],
  [
    "ids that are no text",
    file("{ 1: {}, ~: {} }"),
    ["UNKNOWN_REFERENCE a", "BAD_ID 1", "BAD_VALUE 1", "BAD_ID ~", "BAD_VALUE ~"],
  ],
])("%s: everything is reported, each at its position", (_, text, expected) => {
  expect(diagnosticsAt(text)).toEqual(expected);
});

test("workflows that call each other are reported at the call", () => {
  const calls = (name: string) =>
    `workflow: { name: w, entry: a }\nblocks: { a: { type: workflow, workflow_ref: ${name} } }\n`;
  const compiled = compile(
    { text: calls("one"), file: "w.yaml" },
    filesOf({ one: calls("two"), two: calls("one") }),
  );
  const diagnostics = compiled.ok ? [] : compiled.diagnostics;
  expect(diagnostics.map(({ code }) => code)).toContain("CALL_CYCLE");
});
