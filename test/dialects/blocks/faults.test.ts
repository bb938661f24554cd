import { expect, test } from "vitest";
import { blocksFile, diagnosticsOf } from "./files.ts";

/** Blocks begin on line 3. */
const file = (...blocks: readonly string[]) => blocksFile({ entry: "a" }, ...blocks);
const a = "  a: { type: linear, soul_ref: writer }";
const g = "  g: { type: gate, soul_ref: critic, eval_key: a, depends: a }";
/** A loop `a` over `b`, whose further fields begin on line 7. */
const loop = (...fields: readonly string[]) =>
  file(
    "  a:",
    "    type: loop",
    "    inner_block_refs: [b]",
    "    stateful: false",
    ...fields.map((field) => `    ${field}`),
    "  b: { type: linear, soul_ref: writer }",
  );
test.each([
  [
    "no name",
    "workflow: { entry: a }\nblocks:\n  a: { type: linear, soul_ref: writer }\n",
    ["MISSING_NAME 1:1"],
  ],
  [
    "no workflow",
    "blocks:\n  a: { type: linear, soul_ref: writer }\n",
    ["MISSING_NAME 1:1", "UNKNOWN_REFERENCE 1:1", "~IGNORED_FIELD 2:3"],
  ],
  [
    "nothing under name",
    "workflow: { name: ~, entry: a }\nblocks:\n  a: { type: linear, soul_ref: writer }\n",
    ["MISSING_NAME 1:19"],
  ],
  ["no blocks", "workflow: { name: w, entry: a }\nblocks: {}\n", ["UNKNOWN_REFERENCE 1:29", "NO_NODES 2:9"]],
  ["an unknown entry", blocksFile({ entry: "b" }, a), ["UNKNOWN_REFERENCE 1:29", "~IGNORED_FIELD 3:3"]],
  ["another version", `version: "2.0"\n${file(a)}`, ["BAD_VALUE 1:10"]],
  ["an id of the file that is none", `id: X\n${file(a)}`, ["BAD_ID 1:5"]],
  [
    "keys at the top that say nothing here",
    `strange: 1\ntools: [x]\n${file(a)}`,
    ["~IGNORED_FIELD 1:1", "~IGNORED_FIELD 2:1"],
  ],
  ["a key twice", `version: "1.0"\nversion: "1.0"\n${file(a)}`, ["DUPLICATE_KEY 2:1"]],
  ["a reserved id", file(a, "  results: { type: linear, soul_ref: writer, depends: a }"), ["BAD_ID 4:3"]],
  [
    "an id too long",
    file(a, `  ${"x".repeat(101)}: { type: linear, soul_ref: writer, depends: a }`),
    ["BAD_ID 4:3"],
  ],
  ["an unknown type", file("  a: { type: liner, soul_ref: writer }"), ["BAD_VALUE 3:14"]],
  ["the type that was taken away", file(a, "  b: { type: retry }"), ["BAD_VALUE 4:14"]],
  ["no type", file(a, "  b: {}"), ["BAD_VALUE 4:3"]],
  [
    "unknown keys",
    file("  a: { type: linear, soul_ref: writer, max_rounds: 3, xyz: 1 }"),
    ["UNKNOWN_FIELD 3:40", "UNKNOWN_FIELD 3:55"],
  ],
  ["a key of the wrong kind", file("  a: { type: linear, soul_ref: 3 }"), ["BAD_VALUE 3:32"]],
  [
    "an exit without an id",
    file("  a: { type: linear, soul_ref: writer, exits: [{ label: Stop }] }"),
    ["BAD_VALUE 3:48"],
  ],
  [
    "an exit of a dispatch without an id",
    file("  a: { type: dispatch, exits: [{ soul_ref: writer, task: t }] }"),
    ["BAD_VALUE 3:32"],
  ],
  [
    "an input of the workflow that it does not have",
    `inputs: { topics: { type: string } }\n${file("  a: { type: linear, soul_ref: writer, inputs: { t: { from: workflow.topic } } }")}`,
    ["UNKNOWN_REFERENCE 4:61"],
  ],
  ["no soul named", file("  a: { type: linear }"), ["BAD_VALUE 3:3"]],
  ["an unknown soul", file("  a: { type: linear, soul_ref: nobody }"), ["UNKNOWN_AGENT 3:32"]],
  [
    "a soul under another name",
    `souls: { s: { id: t, system_prompt: x } }\n${file("  a: { type: linear, soul_ref: s }")}`,
    ["BAD_ID 1:19"],
  ],
  [
    "a soul without a prompt",
    `souls: { s: { required_tool_calls: [x] } }\n${file("  a: { type: linear, soul_ref: s }")}`,
    ["BAD_VALUE 1:10", "~IGNORED_FIELD 1:15"],
  ],
  [
    "a soul that hides the one in a file",
    `souls: { writer: { system_prompt: x } }\n${file("  a: { type: linear, soul_ref: writer }")}`,
    ["~IGNORED_FIELD 1:10"],
  ],
  ["half of a gate's shorthand", file(a, `${g.slice(0, -2)}, pass: a }`), ["BAD_VALUE 4:63"]],
  [
    "a gate on nothing",
    file(a, "  g: { type: gate, soul_ref: critic, eval_key: z, depends: a }"),
    ["UNKNOWN_REFERENCE 4:48"],
  ],
  [
    "a dependency that is blank",
    file(a, "  b: { type: linear, soul_ref: writer, depends: '' }"),
    ["~IGNORED_FIELD 4:3", "BAD_VALUE 4:49"],
  ],
  [
    "an unknown dependency",
    file(a, "  b: { type: linear, soul_ref: writer, depends: [a, z] }"),
    ["UNKNOWN_DEPENDENCY 4:53"],
  ],
  [
    "two that depend on one",
    file(
      a,
      "  b: { type: linear, soul_ref: writer, depends: a }",
      "  c: { type: linear, soul_ref: writer, depends: a }",
    ),
    ["~IGNORED_FIELD 5:3", "BAD_VALUE 5:49"],
  ],
  [
    "an unknown error route",
    file("  a: { type: linear, soul_ref: writer, error_route: z }"),
    ["UNKNOWN_REFERENCE 3:53"],
  ],
  [
    "an input from nowhere",
    file("  a: { type: linear, soul_ref: writer, inputs: { x: { from: z.y }, y: 3 } }"),
    ["UNKNOWN_REFERENCE 3:61", "BAD_VALUE 3:71"],
  ],
  ["a loop over nothing", file("  a: { type: loop, inner_block_refs: [] }"), ["LOOP_EMPTY_BODY 3:38"]],
  ["a loop without a list", file("  a: { type: loop }"), ["LOOP_EMPTY_BODY 3:3"]],
  ["an unknown inner block", file("  a: { type: loop, inner_block_refs: [z] }"), ["UNKNOWN_REFERENCE 3:39"]],
  [
    "a block twice in a loop",
    file("  a: { type: loop, inner_block_refs: [b, b] }", "  b: { type: linear, soul_ref: writer }"),
    ["DUPLICATE_ID 3:42"],
  ],
  ["a loop in itself", file("  a: { type: loop, inner_block_refs: [a] }"), ["LOOP_SELF_REFERENCE 3:39"]],
  [
    "loops in each other",
    file("  a: { type: loop, inner_block_refs: [b] }", "  b: { type: loop, inner_block_refs: [a] }"),
    ["LOOP_SELF_REFERENCE 4:39"],
  ],
  ["no round", loop("max_rounds: 0"), ["LOOP_MAX_RANGE 7:17"]],
  ["too many rounds", loop("max_rounds: 51"), ["LOOP_MAX_RANGE 7:17"]],
  ["half a round", loop("max_rounds: 1.5"), ["LOOP_MAX_RANGE 7:17"]],
  ["rounds in words", loop("max_rounds: three"), ["LOOP_MAX_RANGE 7:17"]],
  [
    "blank exits",
    loop("break_on_exit: ''", "retry_on_exit: ' '"),
    ["LOOP_BLANK_STOP 7:20", "LOOP_BLANK_STOP 8:20"],
  ],
  ["an unknown operator", loop("break_condition: { eval_key: x, operator: equal }"), ["BAD_OPERATOR 7:47"]],
  [
    "an unknown combinator",
    loop("break_condition: { combinator: xor, conditions: [{ eval_key: x, operator: eq, value: 1 }] }"),
    ["BAD_OPERATOR 7:36"],
  ],
  ["a group of nothing", loop("break_condition: { conditions: [] }"), ["BAD_VALUE 7:36"]],
  [
    "a condition without its parts",
    loop("break_condition: { value: 1 }"),
    ["BAD_VALUE 7:22", "BAD_VALUE 7:22"],
  ],
  [
    "a pattern that is none",
    loop("break_condition: { eval_key: x, operator: regex, value: '(' }"),
    ["BAD_EXPRESSION 7:61"],
  ],
  [
    "a pattern without an end",
    loop("break_condition: { eval_key: x, operator: regex, value: '(a+)+' }"),
    ["BAD_EXPRESSION 7:61"],
  ],
  [
    "a condition on an inner block",
    loop("break_condition: { eval_key: b.x, operator: eq, value: 1 }"),
    ["~IGNORED_FIELD 7:34"],
  ],
  [
    "a source that is not in the loop",
    loop("carry_context: { source_blocks: [b, a], mode: some }"),
    ["CARRY_SOURCE_UNKNOWN 7:41", "BAD_VALUE 7:51"],
  ],
  ["an unknown key of carry_context", loop("carry_context: { moed: last }"), ["UNKNOWN_FIELD 7:22"]],
  [
    "an error route inside a loop",
    `${loop()}  c: { type: linear, soul_ref: writer, depends: a }\n`.replace(
      "writer }",
      "writer, error_route: c }",
    ),
    ["~IGNORED_FIELD 7:40"],
  ],
  [
    "a workflow that is not there",
    file("  a: { type: workflow, workflow_ref: z }"),
    ["UNKNOWN_WORKFLOW 3:38"],
  ],
  ["a workflow without a name", file("  a: { type: workflow }"), ["BAD_VALUE 3:3"]],
  [
    "a block that nothing leads to",
    file(a, "  b: { type: linear, soul_ref: writer }"),
    ["~IGNORED_FIELD 4:3"],
  ],
  [
    "what has no effect",
    file("  a: { type: linear, soul_ref: writer, assertions: [], stall_thresholds: {} }"),
    ["~IGNORED_FIELD 3:40", "~IGNORED_FIELD 3:56"],
  ],
  [
    "retries out of range",
    file("  a: { type: linear, soul_ref: writer, retry_config: { max_attempts: 21, backoff: slow } }"),
    ["BAD_VALUE 3:70", "BAD_VALUE 3:83"],
  ],
  [
    "time out of range",
    file("  a: { type: linear, soul_ref: writer, timeout_seconds: 3601 }"),
    ["BAD_VALUE 3:57"],
  ],
])("%s", (_, text, expected) => {
  expect(diagnosticsOf(text)).toEqual(expected);
});

const way = (...transitions: readonly string[]) =>
  [
    "workflow:",
    "  name: w",
    "  entry: a",
    ...transitions.map((it) => `  ${it}`),
    "blocks:",
    a,
    "  g: { type: gate, soul_ref: critic, eval_key: a }",
    "",
  ].join("\n");

test.each([
  [
    "a transition from and to nowhere",
    way(
      "transitions: [{ from: z, to: a }, { from: g, to: y }]",
      "conditional_transitions: [{ from: a, default: g }]",
    ),
    ["UNKNOWN_REFERENCE 4:25", "UNKNOWN_REFERENCE 4:52"],
  ],
  [
    "two transitions from one block",
    way("transitions: [{ from: a, to: g }, { from: a, to: null }]"),
    ["BAD_VALUE 4:45"],
  ],
  [
    "a plain transition and one by exit",
    way("transitions: [{ from: a, to: g }]", "conditional_transitions: [{ from: a, default: g }]"),
    ["BAD_VALUE 5:37"],
  ],
  [
    "an exit that a block has not",
    way("transitions: [{ from: a, to: g }]", "conditional_transitions: [{ from: g, passed: null }]"),
    ["UNKNOWN_REFERENCE 5:40"],
  ],
  [
    "blocks that lead back to each other",
    way(
      "transitions: [{ from: a, to: g }]",
      "conditional_transitions: [{ from: g, fail: a, default: null }]",
    ),
    ["CYCLE 7:3"],
  ],
  ["a transition without an end", way("transitions: [{ from: a, to: g }, { from: g }]"), ["BAD_VALUE 4:37"]],
])("%s", (_, text, expected) => {
  expect(diagnosticsOf(text)).toEqual(expected);
});

const routes = (...lines: readonly string[]) =>
  file("  a:", "    type: linear", "    soul_ref: writer", ...lines.map((line) => `    ${line}`));

test.each([
  [
    "routes without a default",
    routes("routes: [{ case: x, when: { eval_key: k, operator: exists }, goto: null }]"),
    ["BAD_VALUE 6:5"],
  ],
  [
    "two routes for one case",
    routes(
      "routes: [{ case: x, when: { eval_key: k, operator: exists }, goto: null }, { case: x, goto: null, default: true }]",
    ),
    ["BAD_VALUE 6:88"],
  ],
  [
    "routes together with output conditions",
    routes(
      "routes: [{ case: x, goto: null, default: true }]",
      "output_conditions: [{ case_id: y, default: true }]",
    ),
    ["BAD_VALUE 6:5"],
  ],
  ["a route to nowhere", routes("routes: [{ case: x, goto: z, default: true }]"), ["UNKNOWN_REFERENCE 6:31"]],
  ["an exit condition without a test", routes("exit_conditions: [{ exit_handle: x }]"), ["BAD_VALUE 6:23"]],
])("%s", (_, text, expected) => {
  expect(diagnosticsOf(text)).toEqual(expected);
});

test("all errors of a file are reported together, in order", () => {
  const text = file(
    "  a: { type: linear, soul_ref: nobody, xyz: 1 }",
    "  l: { type: loop, inner_block_refs: [a, z], max_rounds: 99, depends: a, carry_context: { source_blocks: [q] },",
    "       break_condition: { eval_key: x, operator: like } }",
  );
  expect(diagnosticsOf(text)).toEqual([
    "UNKNOWN_AGENT 3:32",
    "UNKNOWN_FIELD 3:40",
    "UNKNOWN_REFERENCE 4:42",
    "LOOP_MAX_RANGE 4:58",
    "CARRY_SOURCE_UNKNOWN 4:107",
    "BAD_OPERATOR 5:50",
  ]);
});

test("loops that multiply beyond measure are refused, and so are those too deep", () => {
  const twos = Array.from(
    { length: 12 },
    (_, n) => `  l${n}: { type: loop, inner_block_refs: [m${n}, n${n}] }`,
  );
  const doubled = twos.flatMap((line, n) => [
    line,
    `  m${n}: { type: loop, inner_block_refs: [${n === 11 ? "x" : `l${n + 1}`}] }`,
    `  n${n}: { type: loop, inner_block_refs: [${n === 11 ? "x" : `l${n + 1}`}] }`,
  ]);
  const end = "  x: { type: linear, soul_ref: writer }";
  const wide = diagnosticsOf(file("  a: { type: loop, inner_block_refs: [l0] }", ...doubled, end));
  expect(wide.every((it) => it.startsWith("LIMIT"))).toBe(true);
  expect(wide.length).toBeGreaterThan(0);
  const deep = Array.from(
    { length: 3000 },
    (_, n) => `  l${n}: { type: loop, inner_block_refs: [${n === 2999 ? "x" : `l${n + 1}`}] }`,
  );
  expect(diagnosticsOf(file("  a: { type: loop, inner_block_refs: [l0] }", ...deep, end))[0]).toMatch(
    /^LIMIT/,
  );
});
