import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import type { Files } from "../../../src/dialects/dialect.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { stage } from "../../parts/stage.ts";

const files: Files = {
  agents: agentNames,
  command: () => undefined,
  workflow: () => undefined,
};

const read = (nodes: string, file = ".archon/workflows/w.yaml") =>
  compile({ text: `name: w\ndescription: d\nnodes:\n${nodes}`, file }, files);

function diagnosticsOf(nodes: string, file?: string): readonly string[] {
  const it = read(nodes, file);
  return (it.ok ? it.warnings : it.diagnostics).map(
    ({ code, message, warning }) => `${warning ? "~" : ""}${code} ${message}`,
  );
}

function planOf(nodes: string): Plan {
  const it = read(nodes);
  if (!it.ok) throw new Error(JSON.stringify(it.diagnostics));
  return it.plan;
}

const earlier = `
  - { id: slow, bash: slow }
  - { id: quick, bash: quick }
  - { id: reader, depends_on: [quick], prompt: "Read <$slow.output>." }
`;

test("a node of Archon's reads one of an earlier layer, and waits for it", async () => {
  expect(diagnosticsOf(earlier)).toEqual([]);
  const release = Promise.withResolvers<string>();
  const it = stage(planOf(earlier), {
    async shell({ script }) {
      if (script.includes("quick")) {
        setTimeout(() => release.resolve("late"), 50);
        return "first";
      }
      return await release.promise;
    },
  });
  await it.begin();
  expect(it.prompts.map(({ prompt }) => prompt)).toEqual(["Read <late>."]);
});

test("it does not depend on how that node ends", async () => {
  const it = stage(
    planOf(
      earlier
        .replace("<$slow.output>", "it")
        .replace('"Read it."', '"Read it.", when: "$slow.output == \'\'"'),
    ),
    { shell: ({ script }) => (script.includes("slow") ? "" : "x") },
  );
  await it.begin();
  expect(it.prompts).toHaveLength(1);
});

test("anywhere else such a node must be in depends_on", () => {
  expect(diagnosticsOf(earlier, ".github/loops/w.yml")).toEqual([
    "UNKNOWN_REFERENCE `slow` is not finished before this text is used.",
  ]);
});

test("a node of its own or a later layer reads as empty text, and a field of it is an error", async () => {
  const nodes = (field: string) => `
  - { id: a, prompt: "A <$b.output><$a.output><$c.output${field}>" }
  - { id: b, bash: b }
  - { id: c, bash: c, depends_on: [a] }
`;
  expect(diagnosticsOf(nodes(""))).toEqual([
    "~UNKNOWN_REFERENCE `b` is not finished before this text is used.",
    "~UNKNOWN_REFERENCE `a` is not finished when this text is used: this text is inside it.",
    "~UNKNOWN_REFERENCE `c` is not finished before this text is used.",
  ]);
  expect(diagnosticsOf(nodes(".x")).at(-1)).toBe(
    "UNKNOWN_REFERENCE `c` is not finished before this text is used.",
  );
  const it = stage(planOf(nodes("")), { shell: () => "said" });
  await it.begin();
  expect(it.prompts.map(({ prompt }) => prompt)).toEqual(["A <><><>"]);
});

test("the body of a loop reads what an earlier layer around it gave", async () => {
  const nodes = `
  - { id: slow, bash: slow }
  - { id: quick, bash: quick }
  - id: fix
    depends_on: [quick]
    loop_group:
      max_iterations: 1
      until: DONE
      nodes: [{ id: one, prompt: "One <$slow.output>" }]
`;
  const it = stage(planOf(nodes), { shell: () => "said", agent: () => "<promise>DONE</promise>" });
  await it.begin();
  expect(it.prompts.map(({ prompt }) => prompt)).toEqual(["One <said>"]);
});

test.each([
  ["a blank key beside the kind", 'bash: "", prompt: go', []],
  [
    "a list under `tools`",
    "prompt: go, tools: [Read]",
    ["~IGNORED_FIELD `nodes[0].tools` must be `advisory`. It is ignored."],
  ],
  [
    "an `agent` that nobody knows",
    "prompt: go, agent: reviewer",
    ["~IGNORED_FIELD `reviewer` is not an agent until-green knows; the run's agent is used instead."],
  ],
  [
    "an `agent` beside a provider",
    "prompt: go, agent: codex, provider: claude",
    ["~IGNORED_FIELD `agent` beside `provider: claude` has no effect here."],
  ],
  [
    "a limit of loops on another node",
    "prompt: go, max_iterations: 3",
    ["~IGNORED_FIELD `max_iterations` has no effect here."],
  ],
  [
    "a time limit on a prompt",
    "prompt: go, timeout: 60000",
    ["~IGNORED_FIELD `timeout` has no effect on a prompt node."],
  ],
])("%s is left out, as in Archon", (_, keys, expected) => {
  expect(diagnosticsOf(`  - { id: a, ${keys} }\n`)).toEqual(expected);
});

test("an input that Archon cannot read is left out", () => {
  const it = compile(
    {
      text: "name: w\ninputs: { a: text, 'b c': {} }\nnodes: [{ id: a, prompt: go }]\n",
      file: ".archon/workflows/w.yaml",
    },
    files,
  );
  expect(it.ok).toBe(true);
});

test("a command file names a node of another workflow: it reads as empty text, with a warning", async () => {
  const text = "name: w\nnodes:\n  - { id: a, command: review }\n";
  const shared: Files = { ...files, command: () => "<$create-pr.output><$plan.output.title>" };
  const it = compile({ text, file: ".archon/workflows/w.yaml" }, shared);
  const diagnostics = it.ok ? it.warnings : it.diagnostics;
  expect(diagnostics.map(({ message, warning }) => [warning, message])).toEqual([
    [true, "In the command file `review`: There is no node `create-pr`."],
    [true, "In the command file `review`: There is no node `plan`."],
  ]);
  if (!it.ok) return;
  const run = stage(it.plan);
  await run.begin();
  expect(run.prompts.map(({ prompt }) => prompt)).toEqual(["<><>"]);
  const elsewhere = compile({ text, file: "w.yaml" }, shared);
  expect(elsewhere.ok ? [] : elsewhere.diagnostics.map(({ code }) => code)).toEqual([
    "UNKNOWN_REFERENCE",
    "UNKNOWN_REFERENCE",
  ]);
});
