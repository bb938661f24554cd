import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import { type CliDefinition, usualProgram } from "./cli/cli-definition.ts";
import { laterSessions } from "./cli/later-sessions.ts";
import { type GeminiLogin, loginFiles } from "./gemini-paths.ts";

/** Gemini CLI in headless mode. */
export const gemini: CliDefinition = {
  ...usualProgram,
  name: "gemini",
  providers: ["google"],
  program: {
    name: "gemini",
    package: "@google/gemini-cli",
    from: "0.60.0",
    below: "1.0.0",
    tested: "0.61.0",
  },
  keys: [
    {
      variable: "GEMINI_API_KEY",
      lease: {
        wire: "gemini",
        upstream: {
          variable: "GOOGLE_GEMINI_BASE_URL",
          usual: "https://generativelanguage.googleapis.com",
        },
        header: { name: "x-goog-api-key" },
      },
    },
  ],
  hasLogin: (environment) => loginOf(environment) !== undefined,
  hosts: ["*.googleapis.com", "accounts.google.com"],
  state(environment) {
    const folder = loginOf(environment)?.folder;
    return folder === undefined
      ? []
      : loginFiles.map((name) => join(folder, name)).filter((file) => existsSync(file));
  },
  limitsOnlyWriting: true,
  sessions: laterSessions(async () => (await import("./gemini-home.ts")).geminiSessions),
  lostSession: /Error resuming session|No previous sessions found|Invalid session identifier/i,
  // Its settings there may start servers, hooks and commands; its `.env` may redirect it.
  configPaths: [".gemini"],
  // Its settings can add names of instruction files, but not remove this one.
  instructionPaths: ["GEMINI.md"],
  begin: async (turn) => (await import("./gemini-start.ts")).begin(turn, loginOf(turn.environment)),
};

/** The user's login, if there is one. */
function loginOf(environment: Environment): GeminiLogin | undefined {
  const folder = join(environment["GEMINI_CLI_HOME"] || environment["HOME"] || homedir(), ".gemini");
  if (environment["GOOGLE_GENAI_USE_VERTEXAI"] === "true") return { auth: "vertex-ai", folder };
  return existsSync(join(folder, "oauth_creds.json")) ? { auth: "oauth-personal", folder } : undefined;
}
