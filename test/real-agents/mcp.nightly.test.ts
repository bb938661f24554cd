import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openAgent } from "../../src/agents/index.ts";
import { agentContext, ask } from "../agents/agent.contract.ts";
import { openModelServer, scripted } from "../parts/model-server.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { agentClis, isInstalled } from "./agent-clis.ts";
import { toolServer } from "./tool-server.ts";

const agents = [
  {
    name: "codex",
    tool: "mcp__mine::greet",
    environment: (url: string) => ({
      OPENAI_API_KEY: "the-real-key-of-the-test",
      OPENAI_BASE_URL: `${url}/v1`,
    }),
  },
  {
    name: "copilot",
    tool: "mine-greet",
    environment: (url: string) => ({
      COPILOT_PROVIDER_API_KEY: "the-real-key-of-the-test",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    }),
  },
];

describe.skipIf(!isInstalled())("the MCP servers that a node names", () => {
  test.each(agents)("are offered to $name", async ({ name, tool, environment }) => {
    const server = await openModelServer();
    const context = agentContext();
    const at = (path: string) => join(context.workspace, path);
    writeFileSync(at("server.mjs"), toolServer);
    const mine = { command: process.execPath, args: [at("server.mjs")], env: { SAYS: "$GREETING" } };
    writeFileSync(at("servers.json"), JSON.stringify({ mcpServers: { mine } }));
    const agent = openAgent(name, {
      cwd: "/",
      installed: agentClis,
      environment: {
        PATH: process.env["PATH"],
        HOME: temporaryFolder(),
        GREETING: "hello from the variable",
        UNTIL_GREEN_AGENT_ENV: "GREETING",
        ...environment(server.url),
      },
    });
    const prompt = scripted("Go.", [{ tools: [{ name: tool, args: {} }] }, { text: "Gone." }]);
    const answer = await agent.answer(
      ask({ prompt, model: "gpt-5.5", settings: { mcp: "servers.json" } }),
      context,
    );
    await server.close();
    expect(answer.text).toBe("Gone.");
    expect(server.seen().at(-1)?.text).toContain("hello from the variable");
  });
});
