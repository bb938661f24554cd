import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import { type CliDefinition, type CliInvocation, usualProgram } from "./cli/cli-definition.ts";
import { picked } from "./cli/config-folder.ts";
import { argumentsFor, option } from "./cli/flags.ts";
import { mcpFile, mcpServerConfig } from "./cli/mcp-config.ts";
import { keyOf } from "./cli/provider-keys.ts";
import { inFolder, nameOf, projectOf, sessionFiles } from "./cli/session-files.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

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
  async begin(turn) {
    const { claudeReader } = await import("./claude-events.ts");
    return {
      args: argsOf(turn),
      env: envOf(turn),
      preface: turn.request.instructions,
      ...claudeReader(turn),
    };
  },
};

function argsOf(turn: CliInvocation): readonly string[] {
  const { request, server, scratch } = turn;
  const loopServer = server && {
    "until-green": { httpUrl: server.url, headers: mcpServerConfig(server).headers, trust: true },
  };
  return [
    ...["--output-format", "stream-json", "--include-partial-messages"],
    ...["--auth-type", "openai", "--approval-mode", "yolo"],
    ...option("--mcp-config", loopServer && mcpFile(scratch, loopServer)),
    ...["--allowed-mcp-server-names", server === undefined ? "none" : "until-green"],
    ...["--exclude-tools", toolsDenied(request, ownTools).join(",")],
    ...argumentsFor(turn, {
      model: "--model",
      maxTurns: "--max-session-turns",
      ignoreInstructions: "--bare",
      resume: "--resume",
      begin: "--session-id",
    }),
  ];
}

const ownTools: OwnTools = {
  read: ["read_file"],
  search: ["grep_search", "glob"],
  edit: ["edit", "notebook_edit"],
  write: ["write_file"],
  shell: ["run_shell_command"],
  web: ["web_fetch"],
  agent: ["agent"],
  outOfPlace: [
    ...[
      "enter_worktree",
      "exit_worktree",
      "cron_create",
      "cron_list",
      "cron_delete",
      "loop_wakeup",
      "monitor",
    ],
    ...["ask_user_question", "get_goal", "update_goal", "report_findings", "record_artifact", "tool_search"],
  ],
};

/** Otherwise it asks its model after each turn what to remember for later turns. */
const defaults = JSON.stringify({
  memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
});

function envOf({ endpoint, environment, scratch }: CliInvocation): Environment {
  return {
    ...picked(environment, /^OPENAI_MODEL$/),
    ...(endpoint && { OPENAI_BASE_URL: endpoint.baseUrl, OPENAI_API_KEY: endpoint.key }),
    QWEN_CODE_SYSTEM_DEFAULTS_PATH: scratch.write("defaults.json", defaults),
    QWEN_CODE_NO_RELAUNCH: "true",
    QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
    QWEN_CODE_DISABLE_WORKFLOWS: "1",
  };
}
