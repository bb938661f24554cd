import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openFaultyModel, says } from "../parts/faulty-model.ts";
import { type ModelServer, openModelServer, scripted } from "../parts/model-server.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { isInstalled } from "./agent-clis.ts";
import { runByCommandLine } from "./command-line.ts";

const key = "the-real-key-of-the-test";
const tokens = { tokens: 150 };
const openai = (url: string) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` });
const anthropic = (url: string) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url });

const agents = [
  { agent: "claude", model: "claude-sonnet-4-5", keys: anthropic },
  { agent: "codex", model: "gpt-5.5", keys: openai },
  { agent: "opencode", model: "openai/a-model", keys: openai },
  { agent: "qwen", model: "a-model", keys: openai },
  { agent: "pi", model: "a-model", keys: openai },
  { agent: "kimi", model: "a-model", keys: openai },
  {
    agent: "gemini",
    model: "gemini-2.5-flash",
    keys: (url: string) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url }),
  },
  {
    agent: "copilot",
    model: "a-model",
    keys: (url: string) => ({
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    }),
  },
  { agent: "api", model: "anthropic/claude-sonnet-5-5", keys: anthropic },
] as const;

describe.skipIf(!isInstalled())("a budget (npm run test:agents installs the agents)", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await openModelServer();
  });
  afterAll(() => server?.close());

  // The pretended model says of each answer that it took 120 tokens.
  test.each([
    ...agents.map((one) => ({ ...one, budget: tokens })),
    { ...agents[0], budget: { usd: 0.0001 } },
  ])(
    "of $budget ends a loop of $agent after the call that used it up",
    async ({ agent, model, budget, keys }) => {
      const folder = temporaryFolder();
      const prompt = scripted("Try.", [{ text: "I tried." }]);
      const loop = { prompt, until: "COMPLETE", max_iterations: 4 };
      const file = join(folder, "loop.yml");
      writeFileSync(file, JSON.stringify({ name: "t", agent, model, budget, nodes: [{ id: "fix", loop }] }));
      const events = await runByCommandLine(["run", file, "--store", `dir:${join(folder, "runs")}`], {
        workspace: folder,
        env: { PATH: process.env["PATH"], HOME: folder, ...keys(server.url) },
      });
      const ended = events.find(({ type }) => type === "run.ended");
      expect(ended).toMatchObject({ conclusion: "failure", stop_reason: "budget" });
      expect(events.filter(({ type }) => type === "agent.answered")).toHaveLength(1);
      expect(ended).toMatchObject({ usage: { input_tokens: 100, output_tokens: 20 } });
      const { cost_usd } = (ended?.["usage"] ?? {}) as { readonly cost_usd?: number };
      if ("usd" in budget) expect(cost_usd).toBeGreaterThan(budget.usd);
    },
  );

  // It calls a tool that is not there, so that each program asks on.
  test.each(agents)(
    "of 150 tokens lets twelve parallel items of $agent send at most one request that it does not cover",
    async ({ agent, model, keys }) => {
      const folder = temporaryFolder();
      let answered = 0;
      const endless = await openFaultyModel(server.url, (body) => {
        if (!body.includes("Try.")) return undefined;
        answered += 1;
        return says({ calls: [{ id: `t${answered}`, name: "no_such_tool", json: "{}" }] });
      });
      onTestFinished(endless.close);
      const loop = {
        prompt: "Try.",
        for_each: Array.from({ length: 12 }, (_, item) => item),
        max_concurrency: 12,
      };
      const file = join(folder, "items.yml");
      const budget = tokens;
      writeFileSync(file, JSON.stringify({ name: "t", agent, model, budget, nodes: [{ id: "fix", loop }] }));
      const events = await runByCommandLine(["run", file, "--store", `dir:${join(folder, "runs")}`], {
        workspace: folder,
        env: { PATH: process.env["PATH"], HOME: folder, ...keys(endless.url) },
        timeoutMs: 280_000,
      });
      const ended = events.find(({ type }) => type === "run.ended");
      expect(ended).toMatchObject({ conclusion: "failure", stop_reason: "budget" });
      // The first is covered, the second begins while 30 tokens are left.
      expect(answered).toBeLessThanOrEqual(2);
    },
    300_000,
  );
});
