import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CliDefinition, type KeySource, usualProgram } from "./cli/cli-definition.ts";
import { laterSessions } from "./cli/later-sessions.ts";
import { namedKeys, servesNamed } from "./cli/provider-keys.ts";
import { dataFolder, stateFolder, withoutInstall } from "./opencode-home.ts";

/** Builds for older processors come first if this processor may be one. */
const builds = hasWideVectors() ? ["", "-musl"] : ["-baseline", "-baseline-musl", "", "-musl"];

/** opencode, run by its `run` command. */
export const opencode: CliDefinition = {
  ...usualProgram,
  name: "opencode",
  program: {
    name: "opencode",
    package: "opencode-ai",
    // The package's own command is created by an install script, which may not have run.
    native: builds.map((build) => `opencode-${process.platform}-${process.arch}${build}/bin/opencode`),
    from: "1.18.0",
    below: "2.0.0",
    tested: "1.18.33",
  },
  keys: [
    ...namedKeys("anthropic", "openai"),
    ...own("OPENROUTER_API_KEY", "openrouter"),
    ...own("OPENCODE_API_KEY", "opencode"),
  ],
  hasLogin: (environment) => existsSync(join(dataFolder(environment), "auth.json")),
  state: (environment) => [dataFolder(environment), stateFolder(environment)],
  sessions: laterSessions(async () => (await import("./opencode-sessions.ts")).opencodeSessions),
  lostSession: /session not found/i,
  // Its plugins and tools run even if project settings are disabled.
  configPaths: [".opencode", "opencode.json", "opencode.jsonc"],
  prepare: withoutInstall,
  begin: async (turn) => (await import("./opencode-start.ts")).begin(turn),
};

/** True if the processor has the instructions that the usual build requires. */
function hasWideVectors(): boolean {
  if (process.platform !== "linux" || process.arch !== "x64") return true;
  try {
    return /\bavx2\b/.test(readFileSync("/proc/cpuinfo", "utf8").slice(0, 8_192));
  } catch {
    return false;
  }
}

/** A provider's key that it uses directly, without our key proxy. */
function own(variable: string, provider: string): readonly KeySource[] {
  return [{ variable, serves: servesNamed(provider) }];
}
