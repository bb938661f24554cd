import { keepsTheCliContract } from "./cli.contract.ts";

keepsTheCliContract({
  name: "pi",
  model: "a-model",
  secret: "OPENAI_API_KEY",
  environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
  writes: (path, content) => ({ name: "write", args: { path, content } }),
  runs: (command) => ({ name: "bash", args: { command } }),
  ours: (tool) => tool,
  submits: (result) => ({ name: "submit_result", args: { result } }),
  quietMs: 15_000,
});
