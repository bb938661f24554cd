import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { acpAgent } from "../../src/agents/acp.ts";
import { agentContext, ask } from "../agents/agent.contract.ts";
import { openModelServer, scripted, type ToolUse } from "../parts/model-server.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { agentClis, isInstalled } from "./agent-clis.ts";

interface Program {
  /** After its name as an agent; default: the row's own command. */
  readonly command?: string;
  readonly env: (url: string) => Readonly<Record<string, string>>;
  /** The tool by which it writes a file. */
  readonly writes: ToolUse;
  /** How its model calls a tool of the loop. */
  readonly tool: (name: string) => string;
}

const makes = "echo made > made.txt";

/** Programs that other tests start by their own command lines, here by the protocol. */
const programs: Readonly<Record<string, Program>> = {
  qwen: {
    env: (url) => ({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "a-model" }),
    writes: { name: "run_shell_command", args: { command: makes, is_background: false } },
    tool: (name) => `mcp__until-green__${name}`,
  },
  gemini: {
    // It would ask a model which model to ask.
    command: "gemini --acp --model gemini-2.5-flash",
    env: (url) => ({
      ...{ GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: url },
      // In a folder that it does not trust it connects to no server.
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    writes: { name: "run_shell_command", args: { command: makes } },
    tool: (name) => `mcp_until-green_${name}`,
  },
  copilot: {
    env: (url) => ({
      COPILOT_PROVIDER_API_KEY: "k",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_MODEL: "a-model",
    }),
    writes: { name: "bash", args: { command: makes, description: "as asked", initial_wait: 30 } },
    tool: (name) => `until-green-${name}`,
  },
  opencode: {
    env: (url) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: "openai/a-model",
        provider: {
          openai: { options: { baseURL: `${url}/v1`, apiKey: "k" }, models: { "a-model": {} } },
        },
      }),
    }),
    writes: { name: "bash", args: { command: makes, description: "as asked" } },
    tool: (name) => `until-green_${name}`,
  },
};

describe.skipIf(!isInstalled())("by the Agent Client Protocol (npm run test:agents installs them)", () => {
  test.each(Object.entries(programs))(
    "%s works in the checkout, uses the loop's tools and answers",
    { timeout: 300_000 },
    async (name, { command: own = name, env, writes, tool }) => {
      const server = await openModelServer();
      const variables = env(server.url);
      const environment = {
        PATH: `${join(agentClis, "node_modules/.bin")}:${process.env["PATH"]}`,
        HOME: temporaryFolder(),
        ...variables,
        UNTIL_GREEN_AGENT_ENV: Object.keys(variables).join(","),
      };
      const context = agentContext();
      const note = { name: tool("checkpoint_note"), args: { text: "half done" } };
      const prompt = scripted("Go.", [{ tools: [writes] }, { tools: [note] }, { text: "All done." }]);
      const answer = await acpAgent(own, { environment }).answer(
        ask({ prompt, timeoutMs: 200_000 }),
        context,
      );
      await server.close();
      expect(answer).toMatchObject({ text: "All done.", note: "half done", session: expect.any(String) });
      expect(readFileSync(join(context.workspace, "made.txt"), "utf8")).toBe("made\n");
    },
  );
});
