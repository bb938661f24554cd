import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import type { CliDefinition } from "./cli/cli-definition.ts";
import { laterSessions } from "./cli/later-sessions.ts";
import { keyAt, keyOf, servesNamed } from "./cli/provider-keys.ts";

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
  home: {
    variable: "KIMI_CODE_HOME",
    folder: folderOf,
    settings: ["AGENTS.md", "agents", "skills"],
  },
  stop: { signal: "SIGTERM", graceMs: 2000 },
  totals: { tokens: false, cost: false },
  structured: "submit_result",
  sessions: laterSessions(async () => (await import("./kimi-home.ts")).kimiSessions),
  // Its settings there may start servers.
  obeys: [".kimi-code"],
  instructedBy: ["AGENTS.md", "agents.md"],
  async begin(turn) {
    const [{ beginCall }, { createEventReader }] = await Promise.all([
      import("./kimi-home.ts"),
      import("./kimi-events.ts"),
    ]);
    const call = beginCall(turn, folderOf(turn.environment));
    return { args: call.args, env: call.env, ...createEventReader(turn, call.session) };
  },
};

function folderOf(environment: Environment): string {
  return environment["KIMI_CODE_HOME"] || join(environment["HOME"] || homedir(), ".kimi-code");
}
