import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import { stage } from "../../parts/stage.ts";
import { noFiles } from "./files.ts";

// What Archon's rules make of each text: `$ID.output` and `.FIELD`, one level deep, and its variables; no other braces and
// no escapes.

const outputs: Readonly<Record<string, string>> = {
  plain: `it's "so" $& $1 \\n`,
  "json-1": '{"a":"x","n":5,"b":true,"z":null,"list":[1,2],"o":{"k":"v"},"s":"$plain.output"}',
  fenced: '```json\n{"a":"f"}\n```',
  empty: "",
};

const message = "fix $plain.output and $ARGUMENTS";

/** The prompt that a text becomes, or why its node fails. */
async function rendered(text: string): Promise<string> {
  const ids = Object.keys(outputs);
  const nodes = [
    ...ids.map((id) => ({ id, prompt: id })),
    { id: "gone", prompt: "gone", when: "'a' == 'b'" },
    { id: "use", prompt: text, depends_on: [...ids, "gone"], trigger_rule: "all_done" },
  ];
  const document = JSON.stringify({ name: "w", description: "d", inputs: { who: { default: "me" } }, nodes });
  const it = compile(
    { text: document, file: ".archon/workflows/w.yaml" },
    { agents: agentNames, command: () => undefined, workflow: () => undefined },
  );
  if (!it.ok) return `refused: ${it.diagnostics[0]?.message}`;
  const run = stage(it.plan, {
    agent: ({ prompt }) => outputs[prompt] ?? "done",
    facts: { message, inputs: { who: "me" } },
  });
  await run.begin();
  const end = run.of("node.ended").find(({ node }) => node === "use");
  if (end?.status === "failed") return `failed: ${end.reason}`;
  return run.prompts.at(-1)?.prompt ?? "";
}

const plain = `it's "so" $& $1 \\n`;

const texts: readonly (readonly [text: string, prompt: string])[] = [
  ["$plain.output", plain],
  ["<$plain.output>", `<${plain}>`],
  ['"$plain.output"', `"${plain}"`],
  ["'$plain.output'", `'${plain}'`],
  ["\\$plain.output", `\\${plain}`],
  ["$plain.output.", `${plain}.`],
  ["$plain.output, then", `${plain}, then`],
  ["$plain", "$plain"],
  ["${plain.output}", "${plain.output}"],
  ["$plain.result", "$plain.result"],
  ["$json-1.output.a", "x"],
  ["$json-1.output.a.", "x."],
  ["$json-1.output.a-b", "x-b"],
  ["$json-1.output.n/$json-1.output.b", "5/true"],
  ["<$json-1.output.z>", "<null>"],
  ["$json-1.output.list", "[1,2]"],
  ["$json-1.output.o", '{"k":"v"}'],
  ["$json-1.output.o.k", '{"k":"v"}.k'],
  ["$json-1.output.list[0]", "[1,2][0]"],
  ["$json-1.output.s", "$plain.output"],
  ["$json-1.output.missing", 'failed: the output has no field "missing"; it has a, n, b, z, list, o, s'],
  ["$json-1.output", outputs["json-1"] ?? ""],
  ["$fenced.output.a", "f"],
  ["$plain.output.a", 'failed: the output is not a JSON object, so it has no field "a"'],
  ["<$empty.output>", "<>"],
  ["$empty.output.a", 'failed: the output is not a JSON object, so it has no field "a"'],
  ["<$gone.output>", "<>"],
  ["$gone.output.a", "failed: $gone.output.a cannot be read: gone was skipped"],
  ["\\$USER_MESSAGE", `\\${message}`],
  ["${ARGUMENTS}", "${ARGUMENTS}"],
  ["$ARGUMENTS.md", `${message}.md`],
  ["$INPUTS.who", "me"],
  ["$INPUTS.who.x", "me.x"],
  ["$HOME $1 $PATH", "$HOME $1 $PATH"],
  ["costs $5, $ 6", "costs $5, $ 6"],
  ["$BASE_BRANCH..HEAD $DOCS_DIR", "main..HEAD docs/"],
  ["origin/$BASE_BRANCH...HEAD", "origin/main...HEAD"],
  ["<$LOOP_USER_INPUT>", "<>"],
  ["<$REJECTION_REASON>", "<>"],
  ["$arguments", "$arguments"],
  ["{{plain}} ${{ github.ref }}", "{{plain}} ${{ github.ref }}"],
];

test.each(texts)("as in Archon: %s", async (text, prompt) => {
  expect(await rendered(text)).toBe(prompt);
});

/** Archon replaces one name after the other, so it expands what a person wrote, and cuts longer names short. */
test.each([
  ["<$ARGUMENTS>,<$ARGUMENTS>", `<${message}>,<${message}>`],
  ["$plain.outputs", "$plain.outputs"],
  ["$$plain.output", "$$plain.output"],
])("unlike in Archon: %s", async (text, prompt) => {
  expect(await rendered(text)).toBe(prompt);
});

test("a key that is not known in a file below .archon/ is ignored without a list of all keys", () => {
  const faults = faultsOf("name: w\nloop_until: x\nnodes:\n  - { id: a, bash: echo, prompt_suffix: y }\n");
  expect(faults).toEqual([
    "2:1 `loop_until` has no effect here.",
    "4:26 `prompt_suffix` has no effect here.",
  ]);
});

test("a node that is a `route_loop` is refused by this name", () => {
  const faults = faultsOf("name: w\nnodes:\n  - id: a\n    route_loop: { max_iterations: 2 }\n");
  expect(faults).toContainEqual(
    expect.stringMatching(/^4:5 `route_loop` is not supported\. .*`loop_group:`/),
  );
});

test("a kind of node that is not known is named", () => {
  const faults = faultsOf("name: w\nnodes:\n  - id: a\n    plannotator_gate: { message: m }\n");
  expect(faults).toContainEqual(
    expect.stringMatching(/^3:5 A node needs one of .*; `plannotator_gate` is none\./),
  );
});

test("the steps of Archon's first versions are refused once, with what to write instead", () => {
  const faults = faultsOf(
    "name: w\ndescription: d\nsteps:\n  - command: plan\n  - command: code\n    clearContext: true\n  - parallel: [{ command: a }]\n",
  );
  expect(faults).toEqual([
    expect.stringMatching(/^3:1 These are steps of Archon's first versions.*`nodes:`/),
  ]);
});

/** What is said about a file of Archon's: place, message and hint. */
function faultsOf(text: string): readonly string[] {
  const it = compile({ text, file: ".archon/workflows/w.yaml" }, noFiles);
  const all = it.ok ? it.warnings : it.diagnostics;
  return all.map(({ line, column, message, hint }) =>
    [`${line}:${column}`, message, hint ?? ""].join(" ").trim(),
  );
}
