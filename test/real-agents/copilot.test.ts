import { keepsTheCliContract } from "./cli.contract.ts";

keepsTheCliContract({
  name: "copilot",
  model: "a-model",
  secret: "COPILOT_PROVIDER_API_KEY",
  environment: (url) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    // Of a model that it does not know it takes 128,000 to be the most.
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "2000000",
  }),
  // Its tool that creates a file wants there to be none.
  writes: (file, text) => ({
    name: "bash",
    args: { command: `printf %b ${JSON.stringify(text)} > ${file}`, description: "writes", initial_wait: 30 },
  }),
  runs: (command) => ({ name: "bash", args: { command, description: "as asked", initial_wait: 30 } }),
  ours: (tool) => `until-green-${tool}`,
  quietMs: 15_000,
});
