import { expect, test } from "vitest";
import { type Props, stage } from "../../parts/stage.ts";

/** The prompts of a workflow's workers, in order, each after its node's name. */
async function promptsOf(
  steps: string,
  agent: NonNullable<Props["agent"]>,
  props: Props = {},
): Promise<readonly (readonly [string, string])[]> {
  const it = stage(`name: w\n${steps}`, { agent, facts: { message: "" }, ...props });
  await it.begin();
  return it.prompts.flatMap(({ role, node, prompt }) => (role === "worker" ? [[node, prompt] as const] : []));
}

const judged = `agents: { j: { description: d, resultSchema: { properties: { done: { type: boolean } }, required: [done] } } }
steps:
  - id: a
    loop:
      maxIterations: 2
      untilAgent: j
      steps: [{ id: x, instructions: Do x. }, { id: y, dependsOn: [x], instructions: Do y. }]
`;

test("the next iteration starts with what each step of the previous one returned, and the judge's answer", async () => {
  const prompts = await promptsOf(
    judged,
    ({ role, node }) =>
      role === "judge"
        ? { text: "Not yet.", result: { done: false } }
        : { text: `said ${node}`, ...(node === "y" ? { result: { n: 1 } } : {}) },
    { facts: { message: "  build it \n" } },
  );
  expect(prompts).toEqual([
    ["x", "## Request\nbuild it\n\nDo x."],
    ["y", "## Request\nbuild it\n\n## Output of x\nsaid x\n\nDo y."],
    [
      "x",
      `## Request
build it

## Output of iteration 1
### x
said x
### y
said y
\`\`\`json
{
  "n": 1
}
\`\`\`

## What the judge said of iteration 1
Not yet.
{"done":false}

Do x.`,
    ],
    ["y", "## Request\nbuild it\n\n## Output of x\nsaid x\n\nDo y."],
  ]);
});

test("a result follows the text of its step if it says more, and replaces it if it says the same", async () => {
  const steps = ["none", "blank", "same", "other", "list", "text"];
  const answers: Readonly<Record<string, object>> = {
    none: { text: "only text" },
    blank: { text: " \n", result: { n: 1 } },
    same: { text: '{ "n": 2 }', result: { n: 2 } },
    other: { text: '{ "n": 3 }', result: { n: 4 } },
    list: { text: "five", result: [5] },
    text: { text: "six", result: "six" },
  };
  const prompts = await promptsOf(
    `steps: [${steps.map((id) => `{ id: ${id} }`).join(", ")}, { id: all, dependsOn: [${steps}], instructions: Go. }]\n`,
    ({ node }) => answers[node] ?? "ok",
  );
  const json = (...lines: readonly string[]) => ["```json", ...lines, "```"].join("\n");
  expect(prompts.at(-1)?.[1].split("\n\n")).toEqual([
    "## Output of none\nonly text",
    `## Output of blank\n${json("{", '  "n": 1', "}")}`,
    `## Output of same\n${json("{", '  "n": 2', "}")}`,
    `## Output of other\n{ "n": 3 }\n${json("{", '  "n": 4', "}")}`,
    `## Output of list\nfive\n${json("[", "  5", "]")}`,
    `## Output of text\nsix\n${json('"six"')}`,
    "Go.",
  ]);
});

test("an item is shown as JSON on one line, with its index", async () => {
  const items = '[[1, null, "two"], { a: { b: [] }, c: true }, 7, "text"]';
  const prompts = await promptsOf(
    `steps: [{ id: a, loop: { forEach: ${items}, maxConcurrency: 1, steps: [{ id: x, instructions: Go. }] } }]\n`,
    () => "ok",
  );
  expect(prompts.map(([, prompt]) => prompt)).toEqual([
    '## forEach Item (index: 0)\n[1, null, "two"]\n\nGo.',
    '## forEach Item (index: 1)\n{"a": {"b": []}, "c": true}\n\nGo.',
    "## forEach Item (index: 2)\n7\n\nGo.",
    '## forEach Item (index: 3)\n"text"\n\nGo.',
  ]);
});

test("a blank message and a step that was skipped leave no section, nor does a workflow without context", async () => {
  const prompts = await promptsOf(
    `includes: { part: child }
steps:
  - { id: a, condition: "1 == 2" }
  - { id: inc, include: part }
  - { id: b, dependsOn: [a, inc], instructions: Do b. }
`,
    () => "said",
    {
      workflows: { child: "name: child\nsteps: [{ id: x, instructions: Do x. }]\n" },
      facts: { message: " \n" },
    },
  );
  expect(prompts).toEqual([
    ["x", "Do x."],
    ["b", "## Output of inc\nsaid\n\nDo b."],
  ]);
});

const words = (letter: string) => letter.repeat(20_000);
const kept = (letter: string) =>
  `${letter.repeat(16 * 1024 - 48)}\n[… ${20_000 - (16 * 1024 - 48)} bytes left out …]`;

test("what the last iteration returned and what its judge said are cut to 16 KiB each", async () => {
  const [, second] = await promptsOf(judged.replace(/, *\{ id: y.*?\}/, ""), ({ role }) =>
    role === "judge" ? { text: words("j"), result: { done: false } } : words("x"),
  );
  expect(second?.[1]).toBe(
    `## Output of iteration 1\n### x\n${kept("x")}\n\n## What the judge said of iteration 1\n${kept("j").replace("3664", "3679")}\n\nDo x.`,
  );
});

test("a loop without steps of its own shows its last output without a heading for it", async () => {
  const prompts = await promptsOf(
    "steps: [{ id: a, instructions: Go., loop: { maxIterations: 2 } }]\n",
    () => ({
      text: "said",
      result: [1],
    }),
  );
  expect(prompts.map(([, prompt]) => prompt)).toEqual([
    "Go.",
    "## Output of iteration 1\nsaid\n```json\n[\n  1\n]\n```\n\nGo.",
  ]);
});

test("a long prompt leaves its sections what it does not need itself of 120 KiB", async () => {
  const ids = Array.from({ length: 8 }, (_, index) => `s${index}`);
  const steps = ids.map((id) => `{ id: ${id} }`).join(", ");
  const prompts = await promptsOf(
    `steps: [${steps}, { id: all, dependsOn: [${ids}], instructions: "${"x".repeat(2_000)}" }]\n`,
    () => words("y"),
  );
  const bytes = Buffer.byteLength(prompts.at(-1)?.[1] ?? "");
  expect(bytes).toBeGreaterThan(119 * 1024);
  expect(bytes).toBeLessThanOrEqual(120 * 1024);
});
