import { expect, test } from "vitest";
import { AgentError } from "../../../src/ports/agent.ts";
import { stage } from "../../parts/stage.ts";
import { diagnosticsOf } from "./files.ts";

const judged = (...keys: string[]) =>
  `name: w\nnodes:\n  - {id: a, loop: {prompt: p, until_agent: claude, max_iterations: 3, ${keys.join(", ")}}}\n`;

test("a judge that cannot answer fails its loop, unless the file says to continue", async () => {
  const agent = ({ role }: { readonly role: string }) =>
    role === "judge" ? new AgentError("crash", "ill") : "out";
  const fails = stage(judged("on_max: succeed"), { agent });
  await fails.begin();
  expect(fails.end()).toMatchObject({ conclusion: "failure", iterations: 1 });
  const goesOn = stage(judged("on_max: succeed", "no_verdict: continue"), { agent });
  await goesOn.begin();
  expect(goesOn.end()).toMatchObject({ conclusion: "success", iterations: 3 });
});

test("a judge is shown the last iteration, or all of them", async () => {
  for (const [sees, shown] of [
    ["last", false],
    ["all", true],
  ] as const) {
    const it = stage(judged(`judge_sees: ${sees}`), {
      agent: ({ role, iteration }) =>
        role === "judge" ? { result: { done: iteration === 2 } } : `draft ${iteration}`,
    });
    await it.begin();
    const [, second] = it.prompts.filter(({ role }) => role === "judge");
    expect(second?.prompt.includes("draft 1")).toBe(shown);
  }
});

test("an answer without the form it must have fails its node", async () => {
  const source = (required: boolean) =>
    `name: w\nnodes:\n  - {id: a, prompt: p, output_required: ${required}, output_format: {type: object, required: [n]}}\n`;
  for (const required of [true, false]) {
    const it = stage(source(required), { agent: () => "three" });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: required ? "failure" : "success" });
  }
});

test("a called workflow may have another message than the run", async () => {
  const child = "name: c\nnodes: [{id: x, prompt: 'told $USER_MESSAGE'}]\n";
  const it = stage("name: w\nnodes: [{id: a, workflow: c, message: 'of $USER_MESSAGE'}]\n", {
    workflows: { c: child },
  });
  await it.begin();
  expect(it.prompts[0]?.prompt).toBe("told of the message");
});

test.each([
  [
    "a verdict that nobody gives",
    "{prompt: p, until: X, max_iterations: 2, no_verdict: continue}",
    ["BAD_VALUE 3:60"],
  ],
  [
    "a judge that there is not",
    "{prompt: p, until: X, max_iterations: 2, judge_sees: all}",
    ["BAD_VALUE 3:60"],
  ],
  ["a message to nobody", "{prompt: p, until: X, max_iterations: 2, message: m}", ["~IGNORED_FIELD 3:60"]],
])("%s is reported at its position", (_, loop, expected) => {
  expect(diagnosticsOf(`name: w\nnodes:\n  - {id: a, loop: ${loop}}\n`)).toEqual(expected);
});

test("a form that must be kept must be stated", () => {
  expect(diagnosticsOf("name: w\nnodes:\n  - {id: a, prompt: p, output_required: true}\n")).toEqual([
    "BAD_VALUE 3:24",
  ]);
});
