import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withExtras } from "../../src/agents/extras.ts";
import type { AgentRequest } from "../../src/ports/agent.ts";
import { agentContext, ask } from "./agent.contract.ts";

/** An agent that notes what it is asked. */
function noting(name: string) {
  const asked: AgentRequest[] = [];
  const agent = withExtras({
    name,
    answer: (request) => {
      asked.push(request);
      return Promise.resolve({ text: "done" });
    },
  });
  return { agent, asked };
}

test("a skill of the checkout is part of the instructions, without its header", async () => {
  const { agent, asked } = noting("codex");
  const context = agentContext();
  const folder = join(context.workspace, ".claude/skills/tidy");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), "---\nname: tidy\n---\nSweep first.\n");
  const answer = await agent.answer(
    ask({ instructions: "Be kind.", settings: { skills: ["us/tidy"] } }),
    context,
  );
  expect(asked[0]?.instructions).toBe(
    "Be kind.\n\n# Skill tidy\n\nIts files are in .claude/skills/tidy.\n\nSweep first.",
  );
  expect(answer.notices).toBeUndefined();
});

test("a skill that is missing, or leads out of the checkout, is reported once and left out", async () => {
  const { agent, asked } = noting("claude");
  const context = agentContext();
  writeFileSync(join(context.artifacts, "secret"), "hunter2");
  const folder = join(context.workspace, ".claude/skills/out");
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(context.artifacts, "secret"), join(folder, "SKILL.md"));
  const request = ask({ settings: { skills: ["none", "out"] } });
  const { notices } = await agent.answer(request, context);
  expect(notices?.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'SETTING_IGNORED there is no skill "none": install it as .claude/skills/none/SKILL.md in the checkout',
    'SETTING_IGNORED there is no skill "out": install it as .claude/skills/out/SKILL.md in the checkout',
  ]);
  expect((await agent.answer(request, context)).notices).toBeUndefined();
  expect(asked.map(({ instructions }) => instructions)).toEqual([undefined, undefined]);
});

test.each([
  ["codex", ["codex has no `hooks`: it works only with claude"]],
  [
    "gemini",
    [
      "gemini has no `hooks`: it works only with claude",
      "gemini has no `mcp`: it works only with claude, codex, copilot",
    ],
  ],
  ["claude", undefined],
])("%s says which settings of few agents it does not have", async (name, messages) => {
  const { agent } = noting(name);
  const { notices } = await agent.answer(ask({ settings: { hooks: {}, mcp: "x.json" } }), agentContext());
  expect(notices?.map(({ message }) => message)).toEqual(messages);
});

test.each([
  ["claude", ["webSearchMode"]],
  ["codex", ["betas", "thinking"]],
  ["pi", ["betas", "thinking", "webSearchMode"]],
])("%s says which settings of one agent it does not have", async (name, keys) => {
  const { agent } = noting(name);
  const settings = { betas: ["b"], thinking: "disabled", webSearch: "live" };
  const { notices } = await agent.answer(ask({ settings }), agentContext());
  expect(notices?.map(({ message }) => /`(\w+)`/.exec(message)?.[1])).toEqual(keys);
});

test.each([
  ["claude", "small", "haiku"],
  ["codex", "large", "gpt-5.6-sol"],
  ["gemini", "medium", undefined],
  ["claude", "smaller", "smaller"],
])("with %s a model called %s is %s", async (name, model, expected) => {
  const { agent, asked } = noting(name);
  await agent.answer(ask({ model }), agentContext());
  expect(asked[0]?.model).toBe(expected);
});
