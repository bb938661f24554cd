import { expect, test } from "vitest";
import type { CliInvocation } from "../../../src/agents/cli/cli-definition.ts";
import { cliAgents } from "../../../src/agents/registry.ts";
import type { AgentRequest } from "../../../src/ports/agent.ts";
import { openPrivateTempDir } from "../../../src/processes/private-temp-dir.ts";
import { temporaryFolder } from "../../workspace/playground.ts";
import { agentContext, ask } from "../agent.contract.ts";

const settings = {
  effort: "high",
  maxTurns: 7,
  fallbackModel: "a-smaller-model",
  maxBudgetUsd: 2,
  betas: ["context-1m", "other"],
  thinking: { type: "enabled", budgetTokens: 4000 },
  webSearch: "live",
};

/** How each program gets the settings of a node; what a program cannot take is not here, nor in docs/agents.md. */
const refusals: Readonly<Record<string, readonly RegExp[]>> = {
  claude: [
    /--model a-model/,
    /--effort high/,
    /--max-turns 7/,
    /--fallback-model a-smaller-model/,
    /--max-budget-usd 2/,
    /--betas context-1m other --/,
    /MAX_THINKING_TOKENS=4000/,
  ],
  codex: [/-m a-model/, /model_reasoning_effort="high"/, /web_search="live"/],
  gemini: [/--model a-model/],
  copilot: [/--model a-model/, /--reasoning-effort high/],
  opencode: [/--model \w+\/a-model/],
  qwen: [/--model a-model/, /--max-session-turns 7/],
  pi: [/--model a-model/, /--thinking high/],
  kimi: [/KIMI_MODEL_NAME=a-model/, /KIMI_MODEL_THINKING_EFFORT=high/, /KIMI_LOOP_MAX_STEPS_PER_TURN=7/],
};

/** What has no place in CI: it asks people, waits for another day, or moves to another checkout. */
const denied: Readonly<Record<string, readonly string[]>> = {
  claude: ["EnterWorktree", "ExitWorktree", "ScheduleWakeup", "CronCreate", "Monitor", "AskUserQuestion"],
  qwen: ["enter_worktree", "cron_create", "loop_wakeup", "monitor", "ask_user_question"],
  copilot: ["--no-ask-user"],
};

/** How a judge is kept from changing anything. */
const judging: Readonly<Record<string, RegExp>> = {
  claude: /--tools Read,Grep,Glob /,
  codex: /sandbox_mode="read-only"/,
  gemini: /--approval-mode plan/,
  copilot: /--available-tools view,grep,glob,rg /,
  opencode: /"bash":"deny"/,
  qwen: /--exclude-tools \S*write_file\S*run_shell_command/,
  pi: /--tools read,ls,grep,find /,
};

test.each(cliAgents)("$name gets the model, the settings and the arguments of a node", async ({ name }) => {
  const args = await wordsOf(name, { settings });
  for (const word of refusals[name] ?? [/none/]) expect(args).toMatch(word);
  for (const word of denied[name] ?? []) expect(args).toContain(word);
  expect(args).toContain("--mine");
});

test.each([
  ["claude", "minimal", "--effort low"],
  ["claude", "xhigh", "--effort xhigh"],
  ["claude", "ultra", "--effort max"],
  ["claude", "persistent", "--effort max"],
  ["claude", "its-own", "--effort its-own"],
  ["copilot", "max", "--reasoning-effort xhigh"],
  ["copilot", "minimal", "--reasoning-effort low"],
  ["pi", "ultra", "--thinking max"],
  ["codex", "persistent", 'model_reasoning_effort="persistent"'],
])("%s takes the effort %s by its nearest level", async (name, effort, word) => {
  expect(await wordsOf(name, { settings: { effort } })).toContain(word);
});

test.each([
  ["disabled", "MAX_THINKING_TOKENS=0"],
  [{ type: "disabled" }, "MAX_THINKING_TOKENS=0"],
  ["adaptive", "MAX_THINKING_TOKENS=undefined"],
  [{ type: "enabled" }, "MAX_THINKING_TOKENS=undefined"],
  [7, "MAX_THINKING_TOKENS=undefined"],
  [null, "MAX_THINKING_TOKENS=undefined"],
])("claude thinks as a node says: %j", async (thinking, word) => {
  expect(await wordsOf("claude", { settings: { thinking } })).toContain(word);
});

test.each(Object.entries(judging))(
  "%s judges by its own means without changing anything",
  async (name, word) => {
    expect(await wordsOf(name, { role: "judge" })).toMatch(word);
  },
);

test.each([
  ["claude", "No conversation found with session ID: 0b5c"],
  ["codex", "Error: thread/resume failed: no rollout found for thread id 0b5c"],
  ["gemini", "Error resuming session: Invalid session identifier"],
  ["opencode", "Error: Session not found: ses_1"],
  ["qwen", "No saved session found with ID 0b5c"],
  ["pi", "No session found matching '0b5c'"],
  ["kimi", 'error: Session "0b5c" not found.'],
])("%s says in its own words that it does not know a conversation", (name, output) => {
  expect(output).toMatch(cliAgents.find((cli) => cli.name === name)?.lostSession ?? /$^/);
});

/** The arguments and variables of one call. */
async function wordsOf(name: string, some: Partial<AgentRequest>): Promise<string> {
  const cli = cliAgents.find((one) => one.name === name);
  const folder = temporaryFolder();
  const turn: CliInvocation = {
    request: ask({ model: "a-model", ...some }),
    context: agentContext(),
    prompt: "Go.",
    session: { id: "0b5c0e9e-3f0c-4d3e-9a53-1a4a6c8f0001", isContinued: false },
    extra: ["--mine"],
    environment: { HOME: folder },
    home: folder,
    trusts: false,
    followsInstructions: true,
    endpoint: { baseUrl: "http://127.0.0.1:1", key: "lent", variable: cli?.keys[0]?.variable ?? "" },
    server: undefined,
    scratch: openPrivateTempDir(folder),
    say: nothing,
    began: nothing,
    tool: nothing,
    spends: nothing,
    giveUp: nothing,
  };
  const { args = [], env = {} } = (await cli?.begin(turn)) ?? {};
  return [...args, ...Object.entries(env).map(([variable, value]) => `${variable}=${value}`)].join(" ");
}

const nothing = () => undefined;
