import { join } from "node:path";
import { cloudLogin, usesCloud } from "./claude-clouds.ts";
import type { CliDefinition } from "./cli/cli-definition.ts";
import { type ConfigFolder, hasLoginIn } from "./cli/config-folder.ts";
import { nameOf, projectOf, sessionFiles } from "./cli/session-files.ts";

const home: ConfigFolder = {
  variable: "CLAUDE_CONFIG_DIR",
  usual: ".claude",
  login: ".credentials.json",
  settings: [
    "settings.json",
    "CLAUDE.md",
    "agents",
    "commands",
    "skills",
    "plugins",
    "output-styles",
    "rules",
  ],
};

/** Claude Code in `--print` mode. */
export const claude: CliDefinition = {
  name: "claude",
  providers: ["anthropic"],
  program: {
    name: "claude",
    package: "@anthropic-ai/claude-code",
    native: ["", "-musl"].map(
      (libc) => `@anthropic-ai/claude-code-${process.platform}-${process.arch}${libc}/claude`,
    ),
    from: "2.1.0",
    below: "3.0.0",
    tested: "2.1.332",
  },
  keys: [
    { variable: "ANTHROPIC_API_KEY", lease: leaseBy({ name: "x-api-key" }) },
    { variable: "ANTHROPIC_AUTH_TOKEN", lease: leaseBy({ name: "authorization", prefix: "Bearer " }) },
    { variable: "CLAUDE_CODE_OAUTH_TOKEN" },
    { variable: "AWS_BEARER_TOKEN_BEDROCK" },
  ],
  hasLogin: (environment) =>
    hasLoginIn(home, ".credentials.json")(environment) ||
    usesCloud(environment) ||
    process.platform === "darwin", // its keychain is not ours to look into
  hosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com"],
  home,
  state: cloudLogin,
  stop: { signal: "SIGTERM", graceMs: 3000 },
  totals: { tokens: false, cost: true },
  structured: "its own flag",
  sessions: sessionFiles({
    globs: (id) => [`projects/*/${id}.jsonl`],
    belongs: (file, { workspace }) => join("projects", projectOf(workspace), nameOf(file)),
  }),
  lostSession: /no conversation found/i,
  begin: async (turn) => (await import("./claude-start.ts")).begin(turn),
};

function leaseBy(header: { readonly name: string; readonly prefix?: string }) {
  const upstream = { variable: "ANTHROPIC_BASE_URL", usual: "https://api.anthropic.com" };
  return { wire: "anthropic", upstream, header } as const;
}
