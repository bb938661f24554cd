import { describe, expect, test } from "vitest";
import { agentNames } from "../../src/agents/index.ts";
import { scriptRunner } from "../../src/processes/script.ts";
import { convert } from "../../tools/convert/convert.ts";
import { planOf, stage } from "../parts/stage.ts";

/** The native file that a workflow becomes. */
function nativeOf(text: string): string {
  const files = { agents: agentNames, command: () => undefined, workflow: () => undefined };
  const converted = convert({ text, file: "w.yml" }, files);
  if (!converted.ok) throw new Error(converted.diagnostics.map(({ message }) => message).join("\n"));
  return converted.text;
}

test("a name that no input can have stays as written", () => {
  const text = nativeOf(
    "$schema: workflow/v2.0\nname: w\nexecution: { provider: openai, model: m }\nsteps: [{ name: a, run: 'v{{workflow.version}} of {{input}}' }]\n",
  );
  expect(text).toContain("v{{workflow.version}} of $USER_MESSAGE");
});

test("a step that calls a tool keeps the tool's inputs", () => {
  const text = nativeOf(
    'name: w\nsteps:\n  - { id: a }\n  - { id: b, dependsOn: [a], tool: write, toolInput: { path: "$$x", content: $steps.a.content } }\n',
  );
  const made = planOf(text);
  expect(made.body.nodes[1]).toMatchObject({
    env: { INPUTS_PATH: ["$x"], INPUTS_CONTENT: [{ ref: "output", node: "a" }] },
  });
});

describe("a consensus", () => {
  const source = (require: string) =>
    `$schema: workflow/v2.0\nname: w\nexecution: { provider: openai, model: m }\nsteps:
  - name: vote
    consensus:
      prompt: "Ship {{input}}?"
      require: ${require}
      executions: [{ provider: anthropic, model: a }, { provider: openai, model: b }, { provider: openai, model: c }]
  - { name: report, needs: [vote], run: "Report {{vote}}" }
`;
  const answers = ["Yes, SUCCESS.", "no, it will fail", "success"];

  test.each([
    ["2/3", "success", "Report Yes, SUCCESS."],
    ["unanimous", "failure", undefined],
  ])("of %s ends the same in a native file", async (require, conclusion, last) => {
    const ends = [source(require), nativeOf(source(require))].map(async (text) => {
      let asked = 0;
      const it = stage(planOf(text), {
        agent: ({ node }) => (node === "report" ? "ok" : (answers[asked++] ?? "")),
        facts: { message: "it" },
      });
      Object.assign(it.world, { workspace: process.cwd(), script: scriptRunner(process.env) });
      await it.begin();
      return {
        conclusion: it.end()?.conclusion,
        last: it.prompts.find(({ node }) => node === "report")?.prompt,
      };
    });
    expect(await Promise.all(ends)).toEqual([
      { conclusion, last },
      { conclusion, last },
    ]);
  });
});
