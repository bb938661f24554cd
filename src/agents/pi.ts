import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CliDefinition } from "./cli/cli-definition.ts";
import { type OwnFolder, ownFolder } from "./cli/own-folder.ts";
import { keyOf, servesNamed } from "./cli/provider-keys.ts";
import { inFolder, nameOf, projectOf, sessionFiles } from "./cli/session-files.ts";

const home: OwnFolder = {
  variable: "PI_CODING_AGENT_DIR",
  usual: ".pi/agent",
  login: "auth.json",
  settings: ["settings.json", "models.json", "AGENTS.md", "SYSTEM.md", "APPEND_SYSTEM.md"],
};

/** pi, in its print mode. It has no MCP client: an extension of ours provides the loop's tools and its model. */
export const pi: CliDefinition = {
  name: "pi",
  program: {
    name: "pi",
    package: "@mariozechner/pi-coding-agent",
    from: "0.73.0",
    below: "1.0.0",
    tested: "0.73.1",
  },
  keys: [
    { ...keyOf("anthropic"), serves: servesNamed("anthropic") },
    { ...keyOf("openai"), serves: servesNamed("openai") },
  ],
  hasLogin: (environment) => hasCredentials(join(ownFolder(home, environment), "auth.json")),
  home,
  stop: { signal: "SIGTERM", graceMs: 2000 },
  totals: { tokens: false, cost: false },
  structured: "submit_result",
  sessions: sessionFiles({
    home,
    globs: (id) => [`sessions/*/*_${id}.jsonl`],
    belongs: (file, { workspace }) => join("sessions", projectOf(workspace), nameOf(file)),
    // It asks whether to copy a conversation that started in another folder.
    rebind: (line, place) => (line.startsWith('{"type":"session"') ? inFolder(line, place) : line),
  }),
  // Its settings there may name packages and extensions, which are run.
  obeys: [".pi"],
  async begin(turn) {
    const [{ argsOf, envOf }, { readingOf }] = await Promise.all([
      import("./pi-start.ts"),
      import("./pi-events.ts"),
    ]);
    const folder = join(ownFolder(home, turn.environment), "sessions", projectOf(turn.context.workspace));
    return { args: argsOf(turn, folder), env: envOf(turn), ...readingOf(turn) };
  },
};

/** It writes an empty file at its first start. */
const hasCredentials = (file: string) => existsSync(file) && readFileSync(file, "utf8").includes('"type"');
