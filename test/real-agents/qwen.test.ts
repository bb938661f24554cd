import { keepsTheCliContract } from "./cli.contract.ts";

keepsTheCliContract({
  name: "qwen",
  model: "a-model",
  secret: "OPENAI_API_KEY",
  environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
  writes: (file, text) => ({
    name: "run_shell_command",
    args: { command: `printf %b ${JSON.stringify(text)} > ${file}`, is_background: false },
  }),
  // It carries out `sed -i` in a way of its own, which asks for the file to be read before.
  runs: (command) => ({
    name: "run_shell_command",
    args: { command: `eval '${command}'`, is_background: false },
  }),
  ours: (tool) => `mcp__until-green__${tool}`,
  submits: (result) => ({ name: "mcp__until-green__submit_result", args: { result } }),
  quietMs: 15_000,
});
