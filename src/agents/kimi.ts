import type { CliDefinition } from "./cli/cli-definition.ts";
import { laterSessions } from "./cli/later-sessions.ts";
import type { OwnFolder } from "./cli/own-folder.ts";
import { keyAt, keyOf, servesNamed } from "./cli/provider-keys.ts";

const home: OwnFolder = {
  variable: "KIMI_CODE_HOME",
  usual: ".kimi-code",
  settings: ["AGENTS.md", "agents", "skills"],
};

/** Kimi Code, in its print mode. It takes a model from variables, and all else from a folder that we make for each call. */
export const kimi: CliDefinition = {
  name: "kimi",
  program: {
    name: "kimi",
    package: "@moonshot-ai/kimi-code",
    from: "2.1.0",
    below: "3.0.0",
    tested: "2.1.0",
  },
  keys: [
    {
      ...keyAt("kimi", { wire: "openai", usual: "https://api.moonshot.ai/v1" }),
      serves: servesNamed("kimi"),
    },
    { ...keyOf("anthropic"), serves: servesNamed("anthropic") },
    { ...keyOf("openai"), serves: servesNamed("openai") },
  ],
  hasLogin: () => false,
  home,
  stop: { signal: "SIGTERM", graceMs: 2000 },
  totals: { tokens: false, cost: false },
  structured: "submit_result",
  sessions: laterSessions(async () => (await import("./kimi-call.ts")).sessionsIn(home)),
  // Its settings there may start servers.
  obeys: [".kimi-code"],
  instructedBy: ["AGENTS.md", "agents.md"],
  begin: async (turn) => (await import("./kimi-call.ts")).beginCall(turn, home),
};
