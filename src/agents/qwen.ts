import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import type { CliDefinition } from "./cli/cli-definition.ts";
import { keyOf } from "./cli/provider-keys.ts";
import { sessionFiles } from "./cli/session-files.ts";

/** Qwen Code, in its headless mode, with any model that speaks OpenAI's chat completions. */
export const qwen: CliDefinition = {
  name: "qwen",
  program: {
    name: "qwen",
    package: "@qwen-code/qwen-code",
    from: "0.24.0",
    below: "1.0.0",
    tested: "0.24.4",
  },
  keys: [keyOf("openai")],
  hasLogin: () => false,
  home: {
    variable: "QWEN_HOME",
    folder: (environment) => folderOf(environment),
    settings: ["settings.json", "QWEN.md", "agents", "commands", "skills"],
  },
  stop: { signal: "SIGTERM", graceMs: 2000 },
  totals: { tokens: false, cost: false },
  structured: "submit_result",
  sessions: sessionFiles({
    root: ({ environment }) => folderOf(environment),
    globs: (id) => [`projects/*/chats/${id}.jsonl`],
    belongs: (file, { workspace }) =>
      join(
        "projects",
        workspace.replace(/[^A-Za-z0-9]/g, "-"),
        "chats",
        file.slice(file.lastIndexOf("/") + 1),
      ),
    // It can continue only conversations that started in the same folder.
    rebind: (line, { workspace }) =>
      line.replace(/"cwd":"(?:[^"\\]|\\.)*"/, `"cwd":${JSON.stringify(workspace)}`),
  }),
  // Its settings there may start servers, hooks and commands; its `.env` may point it elsewhere.
  obeys: [".qwen"],
  async begin(turn) {
    const [{ argsOf, envOf }, { createEventReader }] = await Promise.all([
      import("./qwen-start.ts"),
      import("./claude-events.ts"),
    ]);
    return {
      args: argsOf(turn),
      env: envOf(turn),
      preface: turn.request.instructions,
      ...createEventReader(turn),
    };
  },
};

const folderOf = (environment: Environment) =>
  environment["QWEN_HOME"] || join(environment["HOME"] || homedir(), ".qwen");
