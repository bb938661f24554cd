import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import { readSource } from "../../../src/compile/parse-yaml.ts";
import type { Files } from "../../../src/dialects/dialect.ts";
import type { AgentNode } from "../../../src/plan/plan.ts";
import { stage } from "../../parts/stage.ts";
import { diagnosticsOf, nodeOf, planOf } from "./files.ts";

const files: Files = {
  agents: agentNames,
  command: (name) => (name === "classify" ? "Classify <$INPUTS.issue> and <$INPUTS.note>." : undefined),
  workflow: (name) => (name === "one" ? { file: "one.yaml", text: one } : undefined),
};

const one =
  "name: one\ninputs: { thing: { required: true } }\nnodes: [{ id: a, prompt: 'do $INPUTS.thing' }]\n";

test("`with` on a command gives its file values, and one of its own where the node was skipped", async () => {
  const text = `
name: w
nodes:
  - { id: fetch, bash: echo }
  - { id: skipped, bash: echo, when: "$fetch.output == 'never'", depends_on: [fetch] }
  - id: classify
    command: classify
    depends_on: [fetch, skipped]
    trigger_rule: all_done
    with: { issue: "issue $fetch.output", note: { from: $skipped.output, if_skipped: none } }
`;
  expect(diagnosticsOf(text, files)).toEqual([]);
  const it = stage(planOf(text, files), { shell: () => "17" });
  await it.begin();
  expect(it.prompts.map(({ prompt }) => prompt)).toEqual(["Classify <issue 17> and <none>."]);
});

test("a mapping in `with` names one output", () => {
  const node = (note: string) =>
    `name: w\nnodes:\n  - { id: a, command: classify, with: { issue: x, note: ${note} } }\n`;
  expect(diagnosticsOf(node("{ from: a b }"), files)).toEqual(["BAD_VALUE 3:57"]);
  expect(diagnosticsOf(node("{ frm: $x.output }"), files)).toEqual(["BAD_VALUE 3:57"]);
});

test.each([
  ["items: '[\"a\", 2]'", { kind: "list", list: ["a", 2] }],
  ["items: $INPUTS.all", { kind: "text", text: [{ ref: "input", name: "all" }] }],
])("fan_out takes a list with %s", (items, expected) => {
  const text = `name: w\ninputs: { all: { default: "[]" } }\nnodes: [{ id: x, workflow: one, fan_out: { ${items}, as: thing } }]\n`;
  expect(nodeOf(planOf(text, files), "x")).toMatchObject({ kind: "for-each", items: expected });
});

test("`include` with `fan_out` calls the workflow for each item, which it is given by name", () => {
  const node = (keys: string) =>
    `name: w\nnodes:\n  - { id: x, include: one, fan_out: { items: '["a"]'${keys} } }\n`;
  expect(nodeOf(planOf(node(", as: thing"), files), "x")).toMatchObject({
    kind: "for-each",
    body: { workflow: "one", with: { thing: [{ ref: "item" }] } },
  });
  expect(diagnosticsOf(node(""), files)).toContain("BAD_VALUE 3:28");
});

test("a wait for attention pauses with its message", async () => {
  const it = stage(planOf("name: w\nnodes: [{ id: x, wait: { attention: Look at the draft. } }]\n"));
  await it.begin();
  expect(it.of("gate.opened")[0]?.message).toContain("Look at the draft.");
  await it.decide("approve", "fine");
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

const hour = 3_600_000;

test.each([
  [`event: built, deadline_ms: ${2 * hour}`, "", { status: "satisfied", event: "built" }],
  [
    `event: built, deadline_ms: ${hour}`,
    '{"conclusion":"success"}',
    { status: "expired", event: "built", payload: { conclusion: "success" } },
  ],
  ["event: built", "it is", { status: "satisfied", event: "built", payload: "it is" }],
  ["attention: Look.", " \n", { status: "satisfied" }],
])(
  "a wait with %s that is approved after an hour with %j says so in its output",
  async (keys, text, output) => {
    const it = stage(planOf(`name: w\nnodes: [{ id: x, wait: { ${keys} } }]\n`));
    await it.begin();
    await it.world.clock.sleep(hour, new AbortController().signal);
    await it.decide("approve", text);
    const { waited_ms: waited, ...said } = JSON.parse(it.end()?.output ?? "{}");
    expect(said).toEqual(output);
    expect(waited).toBeGreaterThanOrEqual(hour);
  },
);

const choice = (decisions: string) => `
name: w
interactive: true
nodes:
  - { id: g, approval: { message: Well?, decisions: [${decisions}] } }
  - { id: fix, prompt: "fix $g.output.text", when: "$g.output.decision == 'needs-work'", depends_on: [g] }
  - { id: stop, prompt: stop, when: "$g.output.decision == 'reject'", depends_on: [g] }
  - { id: go, prompt: "go $g.output.text", when: "$g.output.decision == 'approve'", depends_on: [g] }
`;

test.each([
  ["approve", "ship it", ["go ship it"]],
  ["approve", "needs-work: shorter", ["fix shorter"]],
  ["approve", "\n needs-work,  say: why ", ["fix say: why"]],
  ["reject", "no", ["stop"]],
  ["reject", "approve it later", ["stop"]],
] as const)("of an approval's decisions, %s with %j leads to %j", async (decision, text, prompts) => {
  const it = stage(planOf(choice("{ id: approve }, { id: needs-work, label: Again }, { id: reject }")));
  await it.begin();
  expect(it.of("gate.opened")[0]?.message).toContain("approve, needs-work (Again), reject");
  await it.decide(decision, text);
  expect(it.prompts.map(({ prompt }) => prompt)).toEqual(prompts);
});

test("a rejection that is no decision ends the run; each decision is there once, and `approve` is one", async () => {
  const it = stage(planOf(choice("{ id: approve }")));
  await it.begin();
  await it.decide("reject", "no");
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "rejected" });
  expect(diagnosticsOf(choice("{ id: reject }"))).toContain("BAD_VALUE 5:42");
  expect(diagnosticsOf(choice("{ id: approve }, { id: approve }"))).toContain("BAD_VALUE 5:42");
  expect(diagnosticsOf(choice("{ id: Needs Work }"))).toContain("BAD_VALUE 5:60");
});

test("a key at the top whose value is wrong is ignored in Archon's folder, but no limit is lost", () => {
  const text = `name: w
provider:
model:
effort: 3
interactive: "yes"
inputs:
budget: { max_spend_usd: lots }
nodes: [{ id: a, prompt: go }]
`;
  const faultsIn = (file: string) => {
    const it = compile({ text, file }, files);
    return it.ok ? [] : it.diagnostics.map(({ line, warning }) => `${line}${warning ? " warning" : ""}`);
  };
  expect(faultsIn("w.yml")).toEqual(["2", "3", "4", "5", "6", "7"]);
  const ignored = [2, 3, 4, 5, 6].map((line) => `${line} warning`);
  expect(faultsIn(".archon/workflows/w.yaml")).toEqual([...ignored, "7"]);
});

const config = `
assistant: claude
aliases:
  "@think": { provider: codex, model: gpt-9, effort: high }
  "@odd": { provider: nobody, model: m }
tiers:
  small: { provider: claude, model: tiny }
`;
const parse = (text: string) => ({ value: readSource(text).value });
const configured: Files = { ...files, archonConfig: () => config, parse };

test("an alias and a tier of Archon's configuration stand for an agent, its model and an effort", () => {
  const text = `
name: w
model: "@think"
nodes:
  - { id: a, prompt: one }
  - { id: b, prompt: two, model: small, provider: codex }
  - { id: c, prompt: three, model: large }
  - { id: d, prompt: four, model: "@think", effort: low }
`;
  expect(diagnosticsOf(text, configured)).toEqual([]);
  const plan = planOf(text, configured);
  expect(plan).toMatchObject({ agent: "codex", model: "gpt-9" });
  const call = (id: string) => (nodeOf(plan, id) as AgentNode).call;
  expect(call("a")).toMatchObject({ settings: { effort: "high" } });
  expect(call("b")).toMatchObject({ agent: "claude", model: "tiny" });
  expect(call("c")).toMatchObject({ model: "large" });
  expect(call("d")).toMatchObject({ agent: "codex", model: "gpt-9", settings: { effort: "low" } });
});

test.each([
  ["@unknown", configured],
  ["@odd", configured],
  ["@think", files],
])("the alias %s that means nothing here is ignored with a warning", (model, given) => {
  const text = `name: w\nnodes:\n  - { id: a, prompt: one, model: "${model}" }\n`;
  expect(diagnosticsOf(text, given)).toEqual(["~IGNORED_FIELD 3:34"]);
  expect((nodeOf(planOf(text, given), "a") as AgentNode).call).not.toHaveProperty("model");
});

test("aliases stand for agents and models in `attempts` and `escalate` too", () => {
  const loop = (keys: string) =>
    `name: w\nnodes:\n  - id: fix\n    loop: { prompt: go, until_bash: test, max_iterations: 3, ${keys} }\n`;
  const attempts = loop('attempts: { models: ["@think", other] }');
  expect(diagnosticsOf(attempts, configured)).toEqual([]);
  expect(nodeOf(planOf(attempts, configured), "fix")).toMatchObject({
    attempts: { by: [{ agent: "codex", model: "gpt-9" }, { model: "other" }] },
  });
  const escalate = loop('escalate: { after: 2, model: "@think" }');
  expect(nodeOf(planOf(escalate, configured), "fix")).toMatchObject({
    escalate: { by: { agent: "codex", model: "gpt-9" } },
  });
  expect(diagnosticsOf(loop('escalate: { model: "@unknown" }'), configured)).toEqual(["~IGNORED_FIELD 4:81"]);
});
