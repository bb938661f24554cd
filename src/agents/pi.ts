import { join } from "node:path";
import { type CliDefinition, usualProgram } from "./cli/cli-definition.ts";
import { type ConfigFolder, hasLoginIn } from "./cli/config-folder.ts";
import { namedKeys } from "./cli/provider-keys.ts";
import { inFolder, nameOf, projectOf, sessionFiles } from "./cli/session-files.ts";

const home: ConfigFolder = {
  variable: "PI_CODING_AGENT_DIR",
  usual: ".pi/agent",
  login: "auth.json",
  settings: ["settings.json", "models.json", "AGENTS.md", "SYSTEM.md", "APPEND_SYSTEM.md"],
};

/**
 * pi in print mode. Versions before 1.0 have no MCP client, and `--no-extensions` disables that of later ones: our
 * extension provides the loop's tools and the model.
 */
export const pi: CliDefinition = {
  ...usualProgram,
  name: "pi",
  program: {
    name: "pi",
    package: "@earendil-works/pi-coding-agent",
    from: "0.74.0",
    below: "2.0.0",
    tested: "1.6.0",
  },
  keys: namedKeys("anthropic", "openai"),
  // It writes an empty file at its first start.
  hasLogin: hasLoginIn(home, "auth.json", /"type"/),
  home,
  sessions: sessionFiles({
    globs: (id) => [`sessions/*/*_${id}.jsonl`],
    belongs: (file, { workspace }) => join("sessions", projectOf(workspace), nameOf(file)),
    // It asks whether to copy a conversation that started in another folder.
    rebind: (line, place) => (line.startsWith('{"type":"session"') ? inFolder(line, place) : line),
  }),
  lostSession: /no session found/i,
  // Its settings there may name packages and extensions, which pi would run.
  configPaths: [".pi"],
  begin: async (turn) => (await import("./pi-start.ts")).begin(turn),
};
