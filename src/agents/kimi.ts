import { createHash } from "node:crypto";
import { basename } from "node:path";
import { type CliDefinition, usualProgram } from "./cli/cli-definition.ts";
import type { ConfigFolder } from "./cli/config-folder.ts";
import { namedKeys } from "./cli/provider-keys.ts";
import { inFolder, sessionFiles, slugOf } from "./cli/session-files.ts";

const home: ConfigFolder = {
  variable: "KIMI_CODE_HOME",
  usual: ".kimi-code",
  settings: ["AGENTS.md", "agents", "skills"],
};

/** Kimi Code in print mode. Its model is in variables, all other settings in a folder that we create for each call. */
export const kimi: CliDefinition = {
  ...usualProgram,
  name: "kimi",
  program: {
    name: "kimi",
    package: "@moonshot-ai/kimi-code",
    from: "2.1.0",
    below: "3.0.0",
    tested: "2.1.0",
  },
  keys: namedKeys("kimi", "anthropic", "openai"),
  home,
  sessions: sessionFiles({
    globs: (id) => [`sessions/wd_*/${id}/state.json`, `sessions/wd_*/${id}/agents/*/wire.jsonl`],
    belongs: (file, { workspace }) => file.replace(/wd_[^/]+/, projectOf(workspace)),
    // It can continue only conversations that started in the same folder.
    rebind(line, place) {
      const bound = line.startsWith('{"id":"session_') ? inFolder(line, place) : line;
      const workspace = /^({"type":"runtime\.set_binding".*?"workspaceId":)"[^"]*"/;
      return bound.replace(workspace, `$1"${projectOf(place.workspace)}"`);
    },
  }),
  // It finds no model in a conversation that it cannot read.
  lostSession: /Session "[^"]*" not found|model\.not_configured/,
  // Its settings there may start servers.
  configPaths: [".kimi-code"],
  instructionPaths: ["AGENTS.md", "agents.md"],
  begin: async (turn) => (await import("./kimi-start.ts")).begin(turn, home.settings),
};

/** The folder in which it keeps the conversations of a checkout. */
function projectOf(workspace: string): string {
  const slug = slugOf(basename(workspace), { others: /[^a-z0-9._-]+/g, most: 40 }) || "workspace";
  return `wd_${slug}_${createHash("sha256").update(workspace).digest("hex").slice(0, 12)}`;
}
