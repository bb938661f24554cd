/** Files and folders that agents read as instructions, at any depth. */
const instructions = [
  "CLAUDE.md",
  "CLAUDE.local.md",
  "AGENTS.md",
  "AGENTS.override.md",
  // Kimi Code (2.1) reads the first, pi (0.73) the others; they differ on case-sensitive file systems.
  "agents.md",
  "AGENTS.MD",
  "CLAUDE.MD",
  "GEMINI.md",
  "QWEN.md",
  ".cursorrules",
  ".windsurfrules",
  ".clinerules",
  ".github/copilot-instructions.md",
  ".github/instructions",
  ".github/agents",
  ".github/chatmodes",
  // Skills: opencode.ai/docs/skills, geminicli.com/docs/cli/skills, developers.openai.com/codex/skills and
  // docs.github.com/copilot/how-tos/copilot-cli/customize-copilot all name `.agents` or `.github/skills`.
  ".agents",
  ".github/skills",
  ".github/prompts",
  // Rules for agents in editors: kiro.dev/docs/steering, docs.continue.dev/customize/rules, docs.warp.dev,
  // docs.windsurf.com/windsurf/cascade/memories, zed.dev/docs/ai/rules, and docs/AI_IDE_SUPPORT.md of pr-pm/prpm.
  ...[".windsurf", ".roo", ".roomodes", ".kiro", ".continue", ".trae", ".junie", ".amazonq", ".rules"],
  ...[".augment", ".augment-guidelines", ".goosehints", "WARP.md", "AGENT.md", ".openhands_instructions"],
  ".github/loops",
  "custom/souls",
  "custom/workflows",
];

/**
 * Files and folders that configure programs started by an agent, an editor or git, or servers that they connect to.
 */
const configuration = [
  ".mcp.json",
  ".claude.json",
  "opencode.json",
  "opencode.jsonc",
  ".opencode*",
  ".claude",
  ".gemini",
  ".qwen",
  ".pi",
  ".kimi-code",
  ".kimi",
  ".codex",
  ".cursor",
  ".copilot",
  ".archon",
  ".husky",
  ".ripgreprc",
  ".gitmodules",
  ".envrc",
  ".vscode/mcp.json",
  // An editor may start a task when it opens the folder.
  ".vscode/tasks.json",
  ".gitpod.yml",
  // Aider and Crush start the linters and language servers that these files name; OpenHands starts its script.
  ".aider.conf.yml",
  ".crush.json",
  "crush.json",
  ".openhands",
  ".devcontainer",
  ".devcontainer.json",
  // Hooks run shell commands: docs.github.com/copilot/how-tos/copilot-cli/customize-copilot.
  ".github/hooks",
  ".github/copilot",
  ".github/mcp.json",
  // Copilot starts each `extension.mjs` in it: github/copilot-sdk, nodejs/docs/extensions.md.
  ".github/extensions",
  // Language servers are programs: Qwen Code (0.24) starts those in the first file, Copilot those in the second.
  // For the second, and for plugins: docs.github.com/copilot/reference/copilot-cli-reference/cli-plugin-reference.
  ".lsp.json",
  ".github/lsp.json",
  ".github/plugin",
];

/** Files that decide who may approve, and which code the repository's workflows run. */
const authority = [
  ".github/until-green.yml",
  ".github/until-green.yaml",
  "CODEOWNERS",
  ".github/actions",
  ".github/dependabot.yml",
  ".github/dependabot.yaml",
];

/** A glob that matches only this path. */
export const literalGlob = (path: string): string => path.replace(/[*?[\]{}()!+@\\]/g, "\\$&");

/**
 * Files anywhere in a checkout that instruct agents, or run as code with the permissions of a person. A pull request
 * that changes one would instruct the agent that works on it. So they are restored from the trusted commit before an
 * agent starts, and never published.
 */
export const trustedGlobs: readonly string[] = [...instructions, ...configuration, ...authority].flatMap(
  (name) => [`**/${name}`, `**/${name}/**`],
);
