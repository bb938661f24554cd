import { expect, test } from "vitest";
import { AgentError } from "../../../src/ports/agent.ts";
import { planOf } from "../../parts/stage.ts";
import { file, play } from "./files.ts";

const audit = (require: string) =>
  file(
    "execution: {provider: anthropic, model: m, temperature: 0.2}",
    "steps:",
    "  - {name: topic, run: 'Which?'}",
    "  - name: scan",
    "    consensus:",
    "      prompt: Is {{topic}} safe?",
    `      require: ${require}`,
    "      executions: [{provider: anthropic, model: a}, {provider: openai, model: b, temperature: 0}, {model: c}]",
    "  - {name: report, run: 'Report: {{scan}}'}",
  );

/** What the agents answer, in order; one that fails is `undefined`. */
async function vote(require: string, ...answers: readonly (string | undefined)[]) {
  const it = play(
    audit(require),
    {},
    {
      work: (node) =>
        node.startsWith("vote-")
          ? (answers[Number(node.slice(5)) - 1] ?? new AgentError("refused", "no key"))
          : node,
    },
  );
  await it.begin();
  return it;
}

test("a consensus asks each agent the same, with its own model and settings", async () => {
  const it = await vote("majority", "yes", "yes", "no");
  const asked = it.prompts.filter(({ node }) => node.startsWith("vote-"));
  expect(asked.map(({ prompt, agent, model, settings }) => [prompt, agent, model, settings])).toEqual([
    ["Is topic safe?", "claude", "a", { temperature: 0.2 }],
    ["Is topic safe?", "codex", "b", { temperature: 0 }],
    ["Is topic safe?", "claude", "c", { temperature: 0.2 }],
  ]);
  expect(planOf(audit("majority")).body.nodes[1]).toMatchObject({ kind: "parallel", after: ["topic"] });
});

test.each([
  ["majority", ["Yes, it is.", "  yes,  it is.", "No."], "Yes, it is."],
  ["2/3", ["All is a SUCCESS", "success!", "FAIL: no"], "All is a SUCCESS"],
  ["unanimous", ["ok", "OK", "ok "], "ok"],
  ["unanimous", ["ok", "ok", undefined], "ok"],
  ["majority", ["No.", "yes", "YES"], "yes"],
  ["majority", ["ok", "FAIL: no", "it failed"], "FAIL: no"],
  ["2/3", ["No.", "yes", "YES"], "yes"],
  ["majority", ["it is so", "it  is\nso", "itisso"], "it is so"],
] as const)("%s of %j agree: the answer is the first of theirs", async (require, answers, output) => {
  const it = await vote(require, ...answers);
  expect(it.prompts.at(-1)?.prompt).toBe(`Report: ${output}`);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

const votesApart = (...votes: readonly string[]) => votes.join("\n\n---\n\n");

test.each([
  [
    "unanimous",
    ["ok", "ok", "no"],
    "node-failed",
    "no consensus: 2 of 3 answers agree, and `unanimous` is required",
    votesApart("ok", "ok", "no"),
  ],
  [
    "majority",
    ["a", "b", "c"],
    "node-failed",
    "no consensus: 1 of 3 answers agree, and `majority` is required",
    votesApart("a", "b", "c"),
  ],
  [
    "2/3",
    ["a", "b", "c"],
    "node-failed",
    "no consensus: 1 of 3 answers agree, and `2/3` is required",
    votesApart("a", "b", "c"),
  ],
  [
    "majority",
    ["a", "b", undefined],
    "node-failed",
    "no consensus: 1 of 2 answers agree, and `majority` is required",
    votesApart("a", "b"),
  ],
  ["majority", ["a", undefined, undefined], "agent-error", "1 of 3 agents answered: no key", ""],
] as const)(
  "%s of %j: the step fails and says why",
  async (require, answers, ...[reason, because, output]) => {
    const it = await vote(require, ...answers);
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: reason, because });
    expect(it.of("node.ended").find(({ path }) => path === "/scan")).toMatchObject({
      status: "failed",
      output,
    });
  },
);

test("a file of named steps without execution is one of this language", () => {
  expect(planOf(file("steps: [{name: a, run: x}]")).dialect).toBe("loops");
});
