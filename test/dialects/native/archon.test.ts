import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import type { Files } from "../../../src/dialects/dialect.ts";
import type { AgentCall } from "../../../src/plan/agent-call.ts";

const files: Files = {
  agents: agentNames,
  command: (name) => (name === "review" ? "Review it. Earlier: <$a.output>, later: <$b.output>." : undefined),
  workflow: () => undefined,
  script: (name, endings) =>
    name === "echo-args" && endings.includes(".ts") ? ".archon/scripts/echo-args.ts" : undefined,
};

function compiled(text: string) {
  const it = compile({ text, file: "w.yml" }, files);
  if (!it.ok) throw new Error(it.diagnostics.map(({ message }) => message).join("\n"));
  return it;
}

/** The agent call of the only node. */
function callOf(node: string, head = ""): AgentCall {
  const [first] = compiled(`name: w\n${head}nodes:\n  - ${node}\n`).plan.body.nodes;
  if (first?.kind !== "agent") throw new Error("not an agent node");
  return first.call;
}

const warningsOf = (text: string) =>
  compiled(text).warnings.map(({ code, line, message }) => `${code} ${line} ${message}`);

test.each([
  ["allowed_tools: []", { only: [] }],
  ["allowed_tools: [Read, Grep]", { only: ["Read", "Grep"] }],
  ["denied_tools: [Bash]", { not: ["Bash"] }],
  ["allowed_tools: [Read], tools: advisory", { only: ["Read"], advisory: true }],
])("a node with %s asks its agent for just these tools", (fields, tools) => {
  expect(callOf(`{id: a, prompt: p, ${fields}}`).tools).toEqual(tools);
});

test("an empty model has no effect", () => {
  expect(callOf("{id: a, prompt: p, model: ''}")).not.toHaveProperty("model");
});

test("a loop around an agent keeps the node's tool restrictions", () => {
  const [loop] = compiled(
    "name: w\nnodes:\n  - {id: a, allowed_tools: [Read], loop: {prompt: p, until: X, max_iterations: 2}}\n",
  ).plan.body.nodes;
  expect(loop).toMatchObject({ body: { call: { tools: { only: ["Read"] } } } });
});

test.each([
  ["effort: high", { effort: "high" }],
  ["modelReasoningEffort: xhigh", { effort: "xhigh" }],
  ["webSearchMode: live", { webSearch: "live" }],
  ["fallbackModel: m", { fallbackModel: "m" }],
  ["maxBudgetUsd: 2.5", { maxBudgetUsd: 2.5 }],
  ["thinking: adaptive", { thinking: "adaptive" }],
  ["betas: [x]", { betas: ["x"] }],
])("%s of a node or of the file is passed to the agent", (field, settings) => {
  expect(callOf(`{id: a, prompt: p, ${field}}`).settings).toEqual(settings);
  if (!field.startsWith("maxBudgetUsd"))
    expect(callOf("{id: a, prompt: p}", `${field}\n`).settings).toEqual(settings);
});

test("a node's own setting counts before the file's", () => {
  expect(callOf("{id: a, prompt: p, effort: low}", "effort: high\n").settings).toEqual({ effort: "low" });
});

test("a node's system prompt is its agent's instructions", () => {
  expect(callOf("{id: a, prompt: p, systemPrompt: Be short.}").instructions).toBe("Be short.");
});

test("a provider that is no agent leaves the choice, and the model, to the run", () => {
  const text =
    "name: w\nprovider: grok\nmodel: x/y\nnodes:\n  - {id: a, prompt: p, provider: grok, model: z}\n";
  const { plan, warnings } = compiled(text);
  expect(plan).not.toHaveProperty("agent");
  expect(plan).not.toHaveProperty("model");
  expect(plan.body.nodes[0]).not.toHaveProperty("call.model");
  expect(warnings.map(({ code, line }) => `${code} ${line}`)).toEqual(["IGNORED_FIELD 2", "IGNORED_FIELD 5"]);
});

test("opencode's own agents are ignored with a warning", () => {
  expect(callOf("{id: a, prompt: p, provider: opencode, agent: general}").agent).toBe("opencode");
});

test("an agent of ours that does not exist stays an error", () => {
  const it = compile({ text: "name: w\nnodes: [{id: a, prompt: p, agent: grok}]\n", file: "w.yml" }, files);
  expect(it.ok ? [] : it.diagnostics.map(({ code }) => code)).toEqual(["UNKNOWN_AGENT"]);
});

test("a key that has no effect is reported once, with the number of its places", () => {
  const nodes = Array.from(
    { length: 512 },
    (_, index) => `  - {id: n${index}, prompt: p, context: fresh, output_type: plan}`,
  );
  expect(warningsOf(`name: w\nnodes:\n${nodes.join("\n")}\n`)).toEqual([
    "IGNORED_FIELD 3 `output_type` has no effect here (the same in 511 other places).",
  ]);
});

test("a named script is found in the folders that scripts live in", () => {
  const [node] = compiled("name: w\nnodes: [{id: a, script: echo-args, runtime: bun}]\n").plan.body.nodes;
  expect(node).toMatchObject({ source: { file: ".archon/scripts/echo-args.ts" } });
});

test("a named script that is missing is an error of the file", () => {
  const text = "name: w\nnodes:\n  - {id: a, script: nothing, runtime: uv}\n";
  const it = compile({ text, file: "w.yml" }, files);
  const [fault] = it.ok ? [] : it.diagnostics;
  expect(fault).toMatchObject({
    code: "BAD_VALUE",
    line: 3,
    message: "There is no script `nothing` for uv.",
  });
  expect(fault?.hint).toContain(".archon/scripts/nothing.py");
});

test("a missing command that Archon ships says where it comes from", () => {
  const it = compile(
    { text: "name: w\nnodes: [{id: a, command: archon-create-plan}]\n", file: "w.yml" },
    files,
  );
  const [fault] = it.ok ? [] : it.diagnostics;
  expect(fault?.hint).toContain("Archon");
  expect(fault?.hint).toContain("commands/defaults");
});

test("a command file may name its own node and later ones: they read as empty text", () => {
  const text = "name: w\nnodes:\n  - {id: a, command: review}\n  - {id: b, bash: 'true', depends_on: [a]}\n";
  expect(warningsOf(text).map((it) => it.slice(0, 21))).toEqual([
    "UNKNOWN_REFERENCE 3 I",
    "UNKNOWN_REFERENCE 3 I",
  ]);
});

test("a prompt of the file itself may not", () => {
  const it = compile({ text: "name: w\nnodes:\n  - {id: a, prompt: $a.output}\n", file: "w.yml" }, files);
  expect(it.ok ? [] : it.diagnostics.map(({ code }) => code)).toEqual(["UNKNOWN_REFERENCE"]);
});

test.each([
  ['echo "$CONTEXT"', ["UNKNOWN_REFERENCE 3:26"]],
  ["cat $TYPED_ARTIFACTS_FILE", ["UNKNOWN_REFERENCE 3:24"]],
  ["ls $ADOPTED_RUN_DIR", ["UNKNOWN_REFERENCE 3:23"]],
  ['echo "${ISSUE_CONTEXT:-none}"', []],
  ["CONTEXT=1; echo $CONTEXT", []],
  ["read -r CONTEXT; echo $CONTEXT", []],
  ["echo $CONTEXTS", []],
])("a variable of Archon without a value is refused in shell text: %s", (bash, expected) => {
  const it = compile({ text: `name: w\nnodes:\n  - {id: a, bash: '${bash}'}\n`, file: "w.yml" }, files);
  const all = it.ok ? it.warnings : it.diagnostics;
  expect(all.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual(expected);
});

const withStrangeKeys = `name: w
description: d
policyFile: p.md
capture_response: true
nodes:
  - {id: a, bash: x, task_class: clerical}
  - {id: b, bash: x, task_class: clerical, depends_on: [a]}
`;

test("a key unknown to Archon is ignored with one warning in its folder, and refused elsewhere", () => {
  const inArchons = compile({ text: withStrangeKeys, file: ".archon/workflows/defaults/w.yaml" }, files);
  expect(inArchons.ok && inArchons.warnings.map(({ line, message }) => `${line} ${message}`)).toEqual([
    "3 `policyFile` has no effect here.",
    "4 `capture_response` has no effect here.",
    "6 `task_class` has no effect here (the same in one other place).",
  ]);
  expect(compile({ text: withStrangeKeys, file: ".github/loops/w.yaml" }, files).ok).toBe(false);
});

test("a loop in Archon's folder whose limit is misspelled is refused all the same", () => {
  const text = "name: w\nnodes:\n  - {id: a, loop: {prompt: p, until: X, maxIterations: 3}}\n";
  const it = compile({ text, file: ".archon/workflows/w.yaml" }, files);
  expect(!it.ok && it.diagnostics.map(({ code }) => code)).toEqual(["UNKNOWN_FIELD"]);
});

test("a mapping as the result has no effect in Archon's folder, and is refused elsewhere", () => {
  const text = "name: w\nreturns: {a: x}\nnodes:\n  - {id: a, bash: b}\n";
  const inArchons = compile({ text, file: ".archon/workflows/w.yaml" }, files);
  expect(inArchons.ok && inArchons.warnings.map(({ message }) => message)).toEqual([
    "`returns` has no effect here.",
  ]);
  const elsewhere = compile({ text, file: "w.yml" }, files);
  expect(!elsewhere.ok && elsewhere.diagnostics.map(({ code }) => code)).toEqual(["BAD_VALUE"]);
});

test("Archon's word for a budget in dollars counts", () => {
  const { plan, warnings } = compiled(
    "name: w\nbudget: {max_spend_usd: 3, max_work_units: 9}\nnodes:\n  - {id: a, bash: b}\n",
  );
  expect(plan.budget).toEqual({ usd: 3 });
  expect(warnings.map(({ message }) => message)).toEqual(["`max_work_units` has no effect here."]);
});

test("a wait until a time takes it from a text or from a node", () => {
  const { plan } = compiled(
    'name: w\nnodes:\n  - {id: a, bash: b}\n  - {id: b, depends_on: [a], wait: {until: "$a.output"}}\n',
  );
  const source = { inline: expect.arrayContaining([{ ref: "output", node: "a" }]) };
  expect(plan.body.nodes[1]).toMatchObject({ kind: "script", runtime: "node", source });
});

test.each([
  ["skills: [one, two]", { skills: ["one", "two"] }],
  ["mcp: .archon/mcp/x.json", { mcp: ".archon/mcp/x.json" }],
  [
    "agents: {looker: {description: d, prompt: p}}",
    { subagents: { looker: { description: "d", prompt: "p" } } },
  ],
  [
    "hooks: {PreToolUse: [{matcher: Bash, response: {continue: false}}]}",
    { hooks: { PreToolUse: [{ matcher: "Bash", response: { continue: false } }] } },
  ],
])("%s of a node is passed to the agent with the settings of the file", (field, settings) => {
  expect(callOf(`{id: a, prompt: p, ${field}}`, "effort: low\n").settings).toEqual({
    effort: "low",
    ...settings,
  });
});
