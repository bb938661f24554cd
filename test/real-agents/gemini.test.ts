import { keepsTheCliContract } from "./cli.contract.ts";

keepsTheCliContract({
  name: "gemini",
  model: "gemini-2.5-flash",
  secret: "GEMINI_API_KEY",
  environment: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
  writes: (file, text) => ({ name: "write_file", args: { file_path: file, content: text } }),
  runs: (command) => ({ name: "run_shell_command", args: { command } }),
  ours: (tool) => `mcp_until-green_${tool}`,
  quietMs: 15_000,
});
