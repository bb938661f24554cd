import type { Environment } from "../processes/environment.ts";
import { claudeReader } from "./claude-events.ts";
import type { CliInvocation, CliProcess } from "./cli/cli-definition.ts";
import { picked } from "./cli/config-folder.ts";
import { argumentsFor, option } from "./cli/flags.ts";
import { mcpFile, mcpServerConfig } from "./cli/mcp-config.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

/** One call of Qwen Code. */
export const begin = (turn: CliInvocation): CliProcess => ({
  args: argsOf(turn),
  env: envOf(turn),
  preface: turn.request.instructions,
  ...claudeReader(turn),
});

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
