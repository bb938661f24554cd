import { keepsTheCliContract } from "./cli.contract.ts";

keepsTheCliContract({
  name: "copilot",
  model: "a-model",
  secret: "COPILOT_PROVIDER_API_KEY",
  environment: (url) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1` }),
  writes: (file, text) => ({ name: "create", args: { path: file, file_text: text } }),
  runs: (command) => ({ name: "bash", args: { command, description: "as asked", initial_wait: 30 } }),
  ours: (tool) => `until-green-${tool}`,
});
