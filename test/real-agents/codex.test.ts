import { keepsTheCliContract } from "./cli.contract.ts";

keepsTheCliContract({
  name: "codex",
  model: "gpt-5.5",
  secret: "OPENAI_API_KEY",
  environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
  writes: (file, text) => ({
    name: "exec_command",
    args: {
      cmd: `apply_patch <<'PATCH'\n*** Begin Patch\n*** Add File: ${file}\n+${text}*** End Patch\nPATCH`,
    },
  }),
  runs: (command) => ({ name: "exec_command", args: { cmd: command, yield_time_ms: 30_000 } }),
  ours: (tool) => `mcp__until_green::${tool}`,
});
