import { beforeEach, expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { readSource } from "../../../src/compile/parse-yaml.ts";
import type { Files } from "../../../src/dialects/dialect.ts";
import type { AgentRequest } from "../../../src/ports/agent.ts";
import { type Stage, stage } from "../../parts/stage.ts";
import { diagnosticsOf, planOf } from "./files.ts";

/** A file as Archon's users write them: the keys of which most depends, in one run. */
const text = `
name: ticket-to-pull
interactive: true
provider: claude
nodes:
  - id: ticket
    bash: ./ticket "$ARGUMENTS"
    output_format: &ticket
      type: object
      properties: { task: { type: string }, risky: { type: boolean } }
      required: [task, risky]
  - id: plan
    depends_on: [ticket]
    model: "@think"
    allowed_tools: [Read, Grep]
    prompt: "Plan $ticket.output.task."
    output_format: *ticket
  - id: ask
    depends_on: [plan]
    when: "$plan.output.risky == 'true'"
    approval: { message: "Risky: $plan.output.task", on_reject: { prompt: "Rework: $REJECTION_REASON", max_attempts: 1 } }
  - id: build
    depends_on: [plan, ask]
    trigger_rule: none_failed_min_one_success
    context: fresh
    denied_tools: [WebFetch]
    loop:
      prompt: "Build the next step."
      until_bash: ./steps-done
      max_iterations: 3
      fresh_context: true
  - id: fix
    depends_on: [build]
    when: "$ticket.output.risky != 'true'"
    loop_group:
      max_iterations: 2
      until_bash: ./ci --check
      nodes:
        - { id: find, prompt: "Find the cause." }
        - { id: mend, depends_on: [find], prompt: "Mend: $find.output" }
  - id: reviews
    depends_on: [fix]
    workflow: review
    fan_out: { items: '["speed", "safety"]', as: part, join: all_done }
  - id: end
    depends_on: [reviews]
    trigger_rule: all_done
    bash: |
      found=$reviews.output
      echo "$found for $ticket.output.task"
`;

const review = `
name: review
inputs: { part: {} }
nodes: [{ id: look, prompt: "Review the $INPUTS.part." }]
`;

const files: Files = {
  agents: agentNames,
  command: () => undefined,
  workflow: (name) => (name === "review" ? { file: "review.yaml", text: review } : undefined),
  archonConfig: () => 'aliases: { "@think": { provider: codex, model: deep, effort: high } }',
  parse: (source) => ({ value: readSource(source).value }),
};

let checks: number;
beforeEach(() => {
  checks = 0;
});

const run = (risky: boolean): Stage =>
  stage(planOf(text, files), {
    shell: ({ script }) => {
      if (script.includes("./ticket")) return '{"task":"T-1","risky":false}';
      if (script.includes("./steps-done")) return ++checks < 2 ? 1 : 0;
      return script.includes("./ci") ? 0 : "ok";
    },
    agent: ({ prompt }) => {
      if (prompt.startsWith("Plan")) return `{"task":"T-1","risky":${risky}}`;
      return prompt.includes("safety") ? "unsafe" : "done";
    },
  });

const asked = (it: Stage): readonly string[] => it.prompts.map(({ prompt }) => prompt.split("\n")[0] ?? "");
const requestOf = (it: Stage, start: string): AgentRequest | undefined =>
  it.prompts.find(({ prompt }) => prompt.startsWith(start));

test("the file is accepted as it is", () => {
  expect(diagnosticsOf(text, files)).toEqual([]);
});

test("a run without risk asks nobody, repeats the build until its check, and reviews each part", async () => {
  const it = run(false);
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(asked(it).slice(0, 5)).toEqual([
    "Plan T-1.",
    "Build the next step.",
    "Build the next step.",
    "Find the cause.",
    "Mend: done",
  ]);
  expect(asked(it).slice(5).toSorted()).toEqual(["Review the safety.", "Review the speed."]);
});

test("its calls have the tools, the model and the conversation that the file says", async () => {
  const it = run(false);
  await it.begin();
  expect(requestOf(it, "Plan")).toMatchObject({
    agent: "codex",
    model: "deep",
    settings: { effort: "high" },
    tools: { only: ["Read", "Grep"] },
  });
  expect(requestOf(it, "Build")).toMatchObject({ tools: { not: ["WebFetch"] } });
  expect(requestOf(it, "Build")?.session).toBeUndefined();
});

test("a risky plan waits for a person, is reworked once, and continues after an approval", async () => {
  const it = run(true);
  await it.begin();
  expect(it.of("gate.opened")[0]?.message).toContain("Risky: T-1");
  await it.decide("reject", "too wide");
  expect(asked(it).at(-1)).toBe("Rework: too wide");
  await it.decide("approve");
  expect(it.end()).toMatchObject({ conclusion: "success" });
});
