import type { CliDefinition } from "./cli/cli-definition.ts";
import { type ConfigFolder, hasLoginIn } from "./cli/config-folder.ts";
import { keyOf } from "./cli/provider-keys.ts";
import { sessionFiles } from "./cli/session-files.ts";

/** The platform names in its packages. */
const targets: Readonly<Record<string, readonly string[]>> = {
  "linux-x64": ["x86_64-unknown-linux-musl"],
  "linux-arm64": ["aarch64-unknown-linux-musl"],
  "darwin-x64": ["x86_64-apple-darwin"],
  "darwin-arm64": ["aarch64-apple-darwin"],
};

const home: ConfigFolder = {
  variable: "CODEX_HOME",
  usual: ".codex",
  login: "auth.json",
  settings: ["config.toml", "AGENTS.md", "AGENTS.override.md", "prompts", "skills", "rules"],
};

/** OpenAI's Codex, run as `codex exec`. */
export const codex: CliDefinition = {
  name: "codex",
  providers: ["openai"],
  program: {
    name: "codex",
    package: "@openai/codex",
    native: (targets[`${process.platform}-${process.arch}`] ?? []).map(
      (target) => `@openai/codex-${process.platform}-${process.arch}/vendor/${target}/bin/codex`,
    ),
    from: "0.100.0",
    below: "1.0.0",
    tested: "0.171.0",
  },
  keys: ["CODEX_API_KEY", "OPENAI_API_KEY"].map((variable) => ({ ...keyOf("openai"), variable })),
  hasLogin: hasLoginIn(home, "auth.json"),
  hosts: ["chatgpt.com", "auth.openai.com", "api.openai.com"],
  home,
  // On SIGTERM it leaves its child processes running.
  stop: { signal: "SIGINT", graceMs: 3000 },
  totals: { tokens: true, cost: false },
  structured: "its own flag",
  limitsOnlyWriting: true,
  sessions: sessionFiles({ globs: (id) => [`sessions/*/*/*/rollout-*-${id}.jsonl`] }),
  lostSession: /no rollout found|failed to read session metadata/i,
  begin: async (turn) => (await import("./codex-start.ts")).begin(turn),
};
