import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import { planSchema } from "../../../src/plan/plan.ts";
import { diagnosticsOf, nodeOf, noFiles, planOf } from "./files.ts";

const loop = (...fields: string[]) =>
  `name: w\nnodes:\n  - id: a\n    loop:\n      prompt: p\n${fields.map((field) => `      ${field}\n`).join("")}`;
const loopOf = (...fields: string[]) => nodeOf(planOf(loop(...fields)), "a");

test("a loop has the defaults the contract names", () => {
  expect(loopOf("until: DONE", "max_iterations: 3")).toEqual({
    id: "a",
    after: [],
    trigger: "all_success",
    kind: "loop",
    body: { kind: "agent", call: { prompt: ["p"], idleMs: 1_800_000 } },
    stops: [{ kind: "signal", text: "DONE", form: "any" }],
    mode: "any",
    max: 3,
    onMax: "fail",
    onError: { mode: "fail" },
    session: "threaded",
    delayMs: 0,
    output: "last",
    baseline: false,
    protect: [],
  });
});

test("a loop keeps everything it says", () => {
  const node = loopOf(
    "until: DONE",
    "until_mode: all",
    "until_form: tag",
    "max_iterations: 10000",
    "on_max: succeed",
    "on_error: retry",
    "retries: 3",
    "fresh_context: true",
    "interactive: true",
    "gate_message: Look at $LOOP_ITERATION",
    "signal_completes: false",
    "delay: 10s",
    "time_limit: 2h",
    "restarts: 2",
    "restart_delay: 5s",
    "output: cumulative",
    "accumulate: history",
    "until_bash: npm test",
    "check: {timeout: 10m, retries: 1, baseline: true}",
    'protect: ["test/**"]',
    "no_progress: 3",
    "keep: best",
    "metric: wc -l < log",
    "direction: min",
  );
  expect(node).toMatchObject({
    stops: [
      { kind: "signal", text: "DONE", form: "tag" },
      { kind: "until-bash", script: { script: "npm test", variables: {} }, timeoutMs: 600_000, retries: 1 },
    ],
    mode: "all",
    max: 10_000,
    onMax: "succeed",
    onError: { mode: "retry", times: 3 },
    session: "fresh",
    gate: { message: ["Look at ", { ref: "value", name: "LOOP_ITERATION" }], signalCompletes: false },
    delayMs: 10_000,
    timeoutMs: 7_200_000,
    retry: { times: 2, delayMs: 5000, on: "all" },
    output: "cumulative",
    accumulate: "history",
    baseline: true,
    protect: ["test/**"],
    progress: { sameFailure: 3, noChange: 3 },
    best: { metric: { script: "wc -l < log", variables: {} }, direction: "min" },
  });
});

test("stops are tested cheapest first, whatever their order in the file", () => {
  const plan = planOf(`name: w
agents:
  reviewer: {agent: codex, instructions: Be strict, result_schema: {properties: {done: {type: boolean}}}}
nodes:
  - id: a
    output_format: {type: object, properties: {done: {type: boolean}}}
    loop:
      until_agent: reviewer
      until_condition: Is $LOOP_PREV_OUTPUT fine?
      until_bash: npm test
      until_expr: iteration > 2
      until: DONE
      until_field: done
      fail_until: GAVE_UP
      prompt: p
      max_iterations: 3
`);
  const node = nodeOf(plan, "a");
  expect(node?.kind === "loop" ? node.stops.map(({ kind }) => kind) : []).toEqual([
    "fail-signal",
    "until-field",
    "signal",
    "expression",
    "until-bash",
    "answer",
    "judge",
  ]);
  expect(plan.agents).toMatchObject({ reviewer: { agent: "codex", instructions: "Be strict" } });
});

test.each([
  ["[a, {b: 1}]", { kind: "list", list: ["a", { b: 1 }] }],
  ["$list.output", { kind: "text", text: [{ ref: "output", node: "list" }] }],
  ["$list.output.files", { kind: "text", text: [{ ref: "output", node: "list", field: "files" }] }],
  ["$INPUTS.files", { kind: "text", text: [{ ref: "input", name: "files" }] }],
  ["'[1, 2]'", { kind: "cel", source: "[1, 2]", variables: {} }],
])("a for-each over %s", (items, expected) => {
  const plan = planOf(
    `name: w\ninputs: {files: {}}\nnodes:\n  - {id: list, bash: ls}\n  - id: a\n    depends_on: [list]\n    loop: {for_each: ${items}, prompt: $LOOP_ITEM}\n`,
  );
  expect(nodeOf(plan, "a")).toMatchObject({
    kind: "for-each",
    items: expected,
    atMost: 1,
    isolation: "shared",
  });
});

test("a body's nodes see each other, the iteration before, and what is upstream of the loop", () => {
  const plan = planOf(`name: w
max_concurrency: 2
nodes:
  - {id: setup, bash: echo}
  - id: cycle
    depends_on: [setup]
    model: opus
    loop_group:
      until_bash: test "$review.output" = ok
      until_expr: $work.output == 'x'
      max_iterations: 3
      nodes:
        - {id: work, prompt: $setup.output and $LOOP_PREV.review.output}
        - {id: review, depends_on: [work], prompt: $work.output, model: haiku}
        - id: inner
          depends_on: [review]
          loop: {for_each: $review.output, nodes: [{id: leaf, prompt: $LOOP_ITEM of $work.output}]}
  - {id: end, depends_on: [cycle], prompt: $setup.output $cycle.output}
`);
  expect(nodeOf(plan, "cycle")).toMatchObject({
    kind: "loop",
    body: {
      kind: "graph",
      atMost: 2,
      nodes: [
        { id: "work", call: { model: "opus" } },
        { id: "review", call: { model: "haiku" } },
        { id: "inner", body: { kind: "graph", nodes: [{ id: "leaf" }] } },
      ],
    },
  });
  expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
});

test("what the end of a run depends on comes back from its log, so that the run can be resumed", () => {
  const plan = planOf(`name: w
evidence_policy: {required: true}
returns: a
outcome_field: ready
nodes:
  - {id: slow, bash: sleep 9, timeout: 10, on_timeout: skip}
  - {id: late, script: sleep(9), runtime: python, timeout: 10, on_timeout: skip}
  - {id: a, prompt: p, output_format: {type: object, properties: {ready: {type: boolean}}, required: [ready]}}
`);
  expect(plan).toMatchObject({ needsEvidence: true, outcome: { node: "a", field: "ready" } });
  expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
});

test("an accumulated name is known in its loop and downstream, not elsewhere", () => {
  const text = `name: w
nodes:
  - id: a
    loop: {prompt: p $hist, until: X, max_iterations: 2, accumulate: hist}
  - {id: b, depends_on: [a], prompt: so $hist}
  - {id: c, prompt: so $hist}
`;
  expect(diagnosticsOf(text)).toEqual(["~UNKNOWN_REFERENCE 6:24"]);
});

test("every kind of node has its place in a plan", () => {
  const files = {
    ...noFiles,
    command: (name: string) => (name === "review" ? "Review $work.output" : undefined),
  };
  const plan = planOf(
    `name: w
description: All kinds
interactive: true
provider: claude
model: sonnet
inputs: {target: {default: 3}, mode: {required: false}, must: {}}
budget: {usd: 5, tokens: 2000000, minutes: 60}
nodes:
  - {id: work, bash: make, timeout: 5m, retry: {max_attempts: 2}}
  - {id: review, command: review, depends_on: [work], trigger_rule: all_done, when: "$work.output != 'none'"}
  - {id: inline, script: "print($work.output)", runtime: python, deps: [rich], depends_on: [work]}
  - {id: file, script: tools/run.ts, runtime: bun}
  - id: ask
    approval: {message: Go on?, capture_response: true, on_reject: {prompt: Fix $REJECTION_REASON}}
  - {id: halt, cancel: " no need "}
  - {id: think, prompt: p, agent: "scripted:x.yml", idle_timeout: 1m, output_format: {type: object}, retry: {}}
`,
    files,
  );
  expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  expect(plan).toMatchObject({
    agent: "claude",
    model: "sonnet",
    inputs: { target: { default: "3" }, mode: { default: "" }, must: {} },
    budget: { usd: 5, tokens: 2_000_000, minutes: 60 },
  });
  expect(plan.body.nodes).toMatchObject([
    { kind: "shell", timeoutMs: 300_000, retry: { times: 2, delayMs: 3000, on: "all" } },
    {
      kind: "agent",
      trigger: "all_done",
      call: { prompt: ["Review ", { ref: "output", node: "work" }] },
      when: { kind: "comparisons" },
    },
    {
      kind: "script",
      runtime: "python",
      deps: ["rich"],
      source: { inline: ["print(", { node: "work" }, ")"] },
    },
    { kind: "script", runtime: "bun", source: { file: "tools/run.ts" } },
    { kind: "approval", capture: true, onReject: { times: 3 } },
    { kind: "cancel", reason: ["no need"] },
    {
      kind: "agent",
      call: { agent: "scripted:x.yml", idleMs: 60_000, schema: { type: "object" } },
      retry: { times: 1, delayMs: 3000, on: "transient" },
    },
  ]);
});

test("an error in a command file is reported at its name, with its file", () => {
  const files = { ...noFiles, agents: agentNames, command: () => "Read $nobody.output" };
  expect(diagnosticsOf("name: w\nnodes:\n  - {id: a, command: review}\n", files)).toEqual([
    "UNKNOWN_REFERENCE 3:22",
  ]);
});

test("a top-level key that starts with `x-` holds parts for anchors, in the file and in its JSON schema", () => {
  const nodes = "nodes: [{ id: a, loop: *fix }]";
  const parts = "x-parts: { fix: &fix { prompt: p, until_bash: b, max_iterations: 2 } }";
  const compiled = compile({ text: `name: w\n${parts}\n${nodes}\n`, file: "w.yml" }, noFiles);
  expect(compiled).toMatchObject({ ok: true, warnings: [] });
  const inside = compile(
    { text: `name: w\n${parts}\nnodes: [{ id: a, bash: b, x-a: 1 }]\n`, file: "w.yml" },
    noFiles,
  );
  expect(inside).toMatchObject({ ok: false });
  expect(JSON.parse(readFileSync("schemas/native.json", "utf8"))).toMatchObject({
    patternProperties: { "^x-": true },
  });
});
