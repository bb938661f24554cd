import { join } from "node:path";
import { type CliDefinition, usualProgram } from "./cli/cli-definition.ts";
import { keyOf } from "./cli/provider-keys.ts";
import { inFolder, nameOf, projectOf, sessionFiles } from "./cli/session-files.ts";

/** Qwen Code in headless mode, with any model that supports OpenAI's chat completions. */
export const qwen: CliDefinition = {
  ...usualProgram,
  name: "qwen",
  program: {
    name: "qwen",
    package: "@qwen-code/qwen-code",
    from: "0.24.0",
    below: "1.0.0",
    tested: "0.24.4",
  },
  keys: [keyOf("openai")],
  home: {
    variable: "QWEN_HOME",
    usual: ".qwen",
    settings: ["settings.json", "QWEN.md", "agents", "commands", "skills"],
  },
  sessions: sessionFiles({
    globs: (id) => [`projects/*/chats/${id}.jsonl`],
    belongs: (file, { workspace }) => join("projects", projectOf(workspace), "chats", nameOf(file)),
    // It can continue only conversations that started in the same folder.
    rebind: inFolder,
  }),
  lostSession: /no saved session found/i,
  // Its settings there may start servers, hooks and commands; its `.env` may redirect it.
  configPaths: [".qwen"],
  begin: async (turn) => (await import("./qwen-start.ts")).begin(turn),
};
