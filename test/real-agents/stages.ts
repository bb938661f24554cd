import type { CliStage } from "./cli-stage.ts";

export const key = "the-real-key-of-the-test";

/** How each real agent is brought to behave as the cases need it. */
export const stages = {
  claude: {
    name: "claude",
    model: "claude-sonnet-4-5",
    secret: "ANTHROPIC_API_KEY",
    environment: (url) => ({ ANTHROPIC_BASE_URL: url }),
    writes: (file, text) => ({ name: "Write", args: { file_path: file, content: text } }),
    runs: (command) => ({ name: "Bash", args: { command, description: "as asked" } }),
    ours: (tool) => `mcp__until-green__${tool}`,
    submits: (result) => ({ name: "StructuredOutput", args: result }),
  },
  codex: {
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
  },
  gemini: {
    name: "gemini",
    model: "gemini-2.5-flash",
    secret: "GEMINI_API_KEY",
    environment: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
    writes: (file, text) => ({ name: "write_file", args: { file_path: file, content: text } }),
    runs: (command) => ({ name: "run_shell_command", args: { command } }),
    ours: (tool) => `mcp_until-green_${tool}`,
    quietMs: 15_000,
  },
  copilot: {
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
      args: {
        command: `printf %b ${JSON.stringify(text)} > ${file}`,
        description: "writes",
        initial_wait: 30,
      },
    }),
    runs: (command) => ({ name: "bash", args: { command, description: "as asked", initial_wait: 30 } }),
    ours: (tool) => `until-green-${tool}`,
    quietMs: 15_000,
  },
  opencode: {
    name: "opencode",
    model: "openai/a-model",
    secret: "OPENAI_API_KEY",
    environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    writes: (file, text) => ({ name: "write", args: { filePath: file, content: text } }),
    runs: (command) => ({ name: "bash", args: { command, description: "as asked" } }),
    ours: (tool) => `until-green_${tool}`,
    quietMs: 30_000,
  },
  qwen: {
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
    savesLate: ".homes/qwen/projects/*/chats/*.jsonl",
    quietMs: 15_000,
  },
  pi: {
    name: "pi",
    model: "a-model",
    secret: "OPENAI_API_KEY",
    environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    writes: (path, content) => ({ name: "write", args: { path, content } }),
    runs: (command) => ({ name: "bash", args: { command } }),
    ours: (tool) => tool,
    submits: (result) => ({ name: "submit_result", args: { result } }),
    quietMs: 15_000,
  },
  kimi: {
    name: "kimi",
    model: "a-model",
    secret: "OPENAI_API_KEY",
    environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    writes: (path, content) => ({ name: "Write", args: { path, content } }),
    // It runs `cd … && COMMAND`: of a command in the background it would leave the shell too.
    runs: (command) => ({ name: "Bash", args: { command: `eval '${command}'` } }),
    ours: (tool) => `mcp__until-green__${tool}`,
    submits: (result) => ({ name: "mcp__until-green__submit_result", args: { result } }),
    quietMs: 15_000,
  },
} as const satisfies Readonly<Record<string, CliStage>>;
