import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAgent } from "../../src/agents/index.ts";
import { AgentError } from "../../src/ports/agent.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import "../parts/loaded.ts";
import { agentContext, ask } from "./agent.contract.ts";

test("a scripted agent's file is looked up in the given folder", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "replies.yml"), "otherwise: { say: found }\n");
  const agent = openAgent("scripted:replies.yml", { cwd });
  expect(agent.name).toBe(`scripted:${join(cwd, "replies.yml")}`);
  expect((await agent.answer(ask(), agentContext())).text).toBe("found");
});

test.each(["claude", "codex", "gemini", "copilot", "opencode"])("%s is opened by its name alone", (name) => {
  expect(openAgent(name, { cwd: "/" }).name).toBe(name);
});

test("a command may hold colons", async () => {
  const agent = openAgent("command:echo a:b", { cwd: "/" });
  expect((await agent.answer(ask(), agentContext())).text).toBe("a:b");
});

test.each([
  ["scriptd:x.yml", /^there is no agent "scriptd": did you mean scripted\?$/],
  ["Command:x", /did you mean command\?$/],
  ["comand:x", /did you mean command\?$/],
  ["cluade", /did you mean claude\?$/],
  ["gemni", /did you mean gemini\?$/],
  ["claudes", /did you mean claude\?$/],
  ["cop", /did you mean copilot\?$/],
  ["claude-code", /^there is no agent "claude-code": did you mean claude\?$/],
  ["gpt-5", /^there is no agent "gpt-5": use one of .*, api; a model is named with --model$/],
  ["toString", /^there is no agent "toString": use one of scripted, command, acp, claude, codex, gemini, /],
  ["", /^there is no agent ""/],
  [
    "python3 x.py",
    /^there is no agent "python3 x\.py": to run it as a program, use --agent "command:python3 x\.py"$/,
  ],
  ["scripted", /^the agent scripted needs more: scripted:FILE/],
  ["command: ", /^the agent command needs more: command:CMD/],
])("%j is refused with what to do", (name, message) => {
  const open = () => openAgent(name, { cwd: "/" });
  expect(open).toThrow(AgentError);
  expect(open).toThrow(message);
});
