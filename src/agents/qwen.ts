import { join } from "node:path";
import type { CliDefinition } from "./cli/cli-definition.ts";
import type { OwnFolder } from "./cli/own-folder.ts";
import { keyOf } from "./cli/provider-keys.ts";
import { inFolder, nameOf, projectOf, sessionFiles } from "./cli/session-files.ts";

const home: OwnFolder = {
  variable: "QWEN_HOME",
  usual: ".qwen",
  settings: ["settings.json", "QWEN.md", "agents", "commands", "skills"],
};

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
  home,
  stop: { signal: "SIGTERM", graceMs: 2000 },
  totals: { tokens: false, cost: false },
  structured: "submit_result",
  sessions: sessionFiles({
    home,
    globs: (id) => [`projects/*/chats/${id}.jsonl`],
    belongs: (file, { workspace }) => join("projects", projectOf(workspace), "chats", nameOf(file)),
    // It can continue only conversations that started in the same folder.
    rebind: inFolder,
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
