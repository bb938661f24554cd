import { keepsTheCliContract } from "./cli.contract.ts";

keepsTheCliContract({
  name: "claude",
  model: "claude-sonnet-4-5",
  secret: "ANTHROPIC_API_KEY",
  environment: (url) => ({ ANTHROPIC_BASE_URL: url }),
  writes: (file, text) => ({ name: "Write", args: { file_path: file, content: text } }),
  runs: (command) => ({ name: "Bash", args: { command, description: "as asked" } }),
  ours: (tool) => `mcp__until-green__${tool}`,
  submits: (result) => ({ name: "StructuredOutput", args: result }),
});
