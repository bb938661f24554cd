/**
 * What decides how agents behave, wherever it lies in a checkout: a pull request that changes it would instruct the agent
 * that works on it. Put back from the trusted commit before an agent starts, and never published.
 */
export const trustedGlobs: readonly string[] = [
  ...[
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "GEMINI.md",
    ".mcp.json",
    ".claude.json",
  ],
  ...["opencode.json", "opencode.jsonc", ".cursorrules", ".ripgreprc", ".gitmodules", ".envrc"],
  ...[".claude", ".gemini", ".codex", ".opencode", ".cursor", ".husky", ".archon", ".copilot"],
]
  .flatMap((name) => [`**/${name}`, `**/${name}/**`])
  .concat([
    "**/.github/copilot-instructions.md",
    "**/.github/instructions/**",
    "**/.github/agents/**",
    "**/.github/loops",
    "**/.github/loops/**",
    "**/.opencode*",
    "**/custom/souls/**",
    "**/custom/workflows/**",
  ]);
