import { keepsTheCliContract } from "./cli.contract.ts";

keepsTheCliContract({
  name: "opencode",
  model: "openai/a-model",
  secret: "OPENAI_API_KEY",
  environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
  writes: (file, text) => ({ name: "write", args: { filePath: file, content: text } }),
  runs: (command) => ({ name: "bash", args: { command, description: "as asked" } }),
  ours: (tool) => `until-green_${tool}`,
  quietMs: 30_000,
});
