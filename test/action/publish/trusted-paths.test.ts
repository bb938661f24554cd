import { expect, test } from "vitest";
import { literalGlob, trustedGlobs } from "../../../action/publish/trusted-paths.ts";
import { matchGlobs } from "../../../src/workspace/match-globs.ts";

const isTrusted = matchGlobs(trustedGlobs, { nocase: true });

test.each([
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  "QWEN.md",
  "CLAUDE.local.md",
  "AGENTS.override.md",
  ".cursorrules",
  ".windsurfrules",
  ".github/copilot-instructions.md",
  ".github/instructions/a.instructions.md",
  ".github/agents/a.md",
  ".github/chatmodes/a.md",
  ".github/loops/fix.yml",
  "custom/souls/a.yaml",
  "custom/workflows/a.yaml",
  ".augment-guidelines",
  ".openhands_instructions",
  ".agents/skills/a/SKILL.md",
  ".claude/settings.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".opencode/agent/a.md",
  ".cursor/rules/a.mdc",
  ".clinerules",
  ".windsurf/rules/a.md",
  ".roo/rules/a.md",
  ".roomodes",
  ".kiro/steering/a.md",
  ".continue/rules/a.md",
  ".trae/rules/project_rules.md",
  ".junie/guidelines.md",
  ".amazonq/rules/a.md",
  ".augment/rules/a.md",
  ".goosehints",
  "WARP.md",
  "AGENT.md",
  ".rules",
  ".claude.json",
  "opencode.json",
  "opencode.jsonc",
  ".qwen/settings.json",
  ".pi/settings.json",
  ".copilot/config.json",
  ".archon/config.yaml",
  ".husky/pre-commit",
  ".ripgreprc",
  ".gitmodules",
  ".envrc",
  ".crush.json",
  ".devcontainer.json",
  ".aider.conf.yml",
  ".openhands/setup.sh",
  "crush.json",
  ".vscode/tasks.json",
  ".gitpod.yml",
  ".kimi-code/mcp.json",
  ".kimi/config.toml",
  ".lsp.json",
  ".mcp.json",
  ".vscode/mcp.json",
  ".devcontainer/devcontainer.json",
  ".github/skills/a/SKILL.md",
  ".github/prompts/a.md",
  ".github/hooks/a.json",
  ".github/copilot/settings.json",
  ".github/mcp.json",
  ".github/extensions/a/extension.mjs",
  ".github/lsp.json",
  ".github/plugin/marketplace.json",
  ".github/until-green.yml",
  ".github/until-green.yaml",
  ".github/CODEOWNERS",
  "CODEOWNERS",
  ".github/actions/a/action.yml",
  ".github/dependabot.yml",
  ".github/dependabot.yaml",
])(
  "%s comes from the trusted commit, at any depth, in any case and with line feeds in its folders",
  (path) => {
    for (const one of [path, `a/b/${path}`, `a\nb/${path}`, path.toUpperCase()])
      expect(isTrusted(one), JSON.stringify(one)).toBe(true);
  },
);

test.each(["AGENTS.md", "CLAUDE.md", "agents.md", "AGENTS.MD", "a/CLAUDE.MD"])(
  "%s, of which some agents read the usual name and some another one, comes from the trusted commit on Linux too",
  (path) => {
    expect(matchGlobs(trustedGlobs, { nocase: false })(path)).toBe(true);
  },
);

test.each([".agents/skills/a\nb.md", ".claude/a\nb/c.md", ".github/actions/a\n/action.yml"])(
  "a file name with a line feed in a trusted folder is no way around it",
  (path) => {
    expect(isTrusted(path)).toBe(true);
  },
);

test.each([
  ".claude/\u017fkills/a.md",
  ".cla\u200bude/settings.json",
  "\uff21GENTS.md",
  ".\u200cclaude/x",
  ".claude./settings.json",
  "AGENTS.md. ",
  ".github\\hooks\\a.json",
])("%j, which macOS or Windows may take for a trusted file, is one", (path) => {
  expect(isTrusted(path)).toBe(true);
});

test.each(["src/agents.ts", "docs/AGENTS.md.txt", ".github/workflow.md", "claude.md.bak"])(
  "%s is the pull request's own",
  (path) => {
    expect(isTrusted(path)).toBe(false);
  },
);

test.each([
  ["a*b", "acb"],
  ["a?b", "acb"],
  ["[ab]", "a"],
  ["{a,b}", "a"],
  ["!(a)", "b"],
  ["+(a)", "aa"],
  ["@(a)", "a"],
  ["a\\b", "ab"],
])("the glob of a file called %s matches no file called %s", (path, other) => {
  const matches = matchGlobs([literalGlob(path)], { nocase: false });
  expect([path, other].map(matches)).toEqual([true, false]);
});
