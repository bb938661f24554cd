import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openAgent } from "../../src/agents/index.ts";
import { agentContext, ask } from "../agents/agent.contract.ts";
import { openModelServer, scripted } from "../parts/model-server.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { agentClis, isInstalled } from "./agent-clis.ts";
import { keepsTheCliContract } from "./cli.contract.ts";
import { stages } from "./stages.ts";

keepsTheCliContract(stages.opencode);

describe.skipIf(!isInstalled())("opencode in a new home (npm run test:agents installs it)", () => {
  test("asks npm for nothing, and leaves nothing of ours in the folder of its settings", async () => {
    const server = await openModelServer();
    const home = temporaryFolder();
    const environment = {
      PATH: process.env["PATH"],
      HOME: home,
      OPENAI_API_KEY: "the-real-key-of-the-test",
      OPENAI_BASE_URL: `${server.url}/v1`,
    };
    const agent = openAgent("opencode", { cwd: "/", installed: agentClis, environment });
    const prompt = scripted("Go.", [{ text: "Gone." }]);
    const answer = await agent.answer(ask({ prompt, model: "openai/a-model" }), agentContext());
    await server.close();
    expect(answer.text).toBe("Gone.");
    // It lays its cache there as soon as it asks, be it in vain.
    expect(existsSync(join(home, ".npm"))).toBe(false);
    expect(readdirSync(join(home, ".config", "opencode"))).toEqual([".gitignore"]);
  });
});
