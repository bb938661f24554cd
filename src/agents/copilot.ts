import type { CliDefinition } from "./cli/cli-definition.ts";
import { type ConfigFolder, hasLoginIn } from "./cli/config-folder.ts";
import { sessionFiles } from "./cli/session-files.ts";

const home: ConfigFolder = {
  variable: "COPILOT_HOME",
  usual: ".copilot",
  settings: [
    "config.json",
    "settings.json",
    "mcp-config.json",
    "copilot-instructions.md",
    "agents",
    "skills",
  ],
};

/** GitHub's Copilot CLI, with the user's subscription or with a model of the user's own. */
export const copilot: CliDefinition = {
  name: "copilot",
  program: {
    name: "copilot",
    package: "@github/copilot",
    native: [`@github/copilot-${process.platform}-${process.arch}/copilot`],
    from: "1.0.90",
    below: "2.0.0",
    tested: "1.0.102",
  },
  keys: [
    {
      variable: "COPILOT_PROVIDER_API_KEY",
      // Other types send their key in other headers.
      serves: (_, environment) => (environment["COPILOT_PROVIDER_TYPE"] || "openai") === "openai",
      lease: {
        wire: "openai",
        upstream: { variable: "COPILOT_PROVIDER_BASE_URL", usual: "https://api.openai.com/v1" },
        header: { name: "authorization", prefix: "Bearer " },
      },
    },
    { variable: "COPILOT_PROVIDER_API_KEY" },
    { variable: "COPILOT_GITHUB_TOKEN" },
    {
      // The token of a job whose permissions include `copilot-requests: write`.
      variable: "COPILOT_REQUESTS_TOKEN",
      lease: {
        wire: "openai",
        upstream: { variable: "COPILOT_API_URL", usual: "https://api.githubcopilot.com" },
        header: { name: "authorization", prefix: "Bearer " },
        besides: { "copilot-integration-id": "copilot-developer-cli" },
      },
    },
  ],
  // It creates that file at its first start.
  hasLogin: hasLoginIn(home, "config.json", /logged_?in_?user/i),
  hosts: ["*.githubcopilot.com", "api.github.com"],
  home,
  stop: { signal: "SIGTERM", graceMs: 3000 },
  totals: { tokens: true, cost: false },
  structured: "submit_result",
  lostSession: /session file is corrupted|was found but could not be loaded/i,
  sessions: sessionFiles({ globs: (id) => [`session-state/${id}/events.jsonl`] }),
  begin: async (turn) => (await import("./copilot-start.ts")).begin(turn),
};
