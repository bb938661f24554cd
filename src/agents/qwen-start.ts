import type { Environment } from "../processes/environment.ts";
import type { CliInvocation } from "./cli/cli-definition.ts";
import { mcpServerConfig } from "./cli/mcp-config.ts";
import { picked } from "./cli/pick-variables.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

/** The arguments of one call of Qwen Code. */
export function argsOf({
  request,
  session,
  server,
  scratch,
  extra,
  heeds,
}: CliInvocation): readonly string[] {
  const { model, settings = {} } = request;
  const tools = server && {
    mcpServers: {
      "until-green": { httpUrl: server.url, headers: mcpServerConfig(server).headers, trust: true },
    },
  };
  return [
    ...["--output-format", "stream-json", "--include-partial-messages"],
    ...["--auth-type", "openai", "--approval-mode", "yolo"],
    // A judge takes no instructions from files of the checkout.
    ...(heeds ? [] : ["--bare"]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(settings.maxTurns === undefined ? [] : ["--max-session-turns", String(settings.maxTurns)]),
    ...(tools === undefined ? [] : ["--mcp-config", scratch.write("mcp.json", JSON.stringify(tools))]),
    ...["--allowed-mcp-server-names", server === undefined ? "none" : "until-green"],
    ...["--exclude-tools", [...outOfPlace, ...toolsDenied(request, ownTools)].join(",")],
    ...[session.goesOn ? "--resume" : "--session-id", session.id],
    ...extra,
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
};

/** What moves it to another checkout, waits for another day, or asks people: nothing of that ends well in a loop. */
const outOfPlace: readonly string[] = [
  ...["enter_worktree", "exit_worktree", "cron_create", "cron_list", "cron_delete", "loop_wakeup", "monitor"],
  ...["ask_user_question", "get_goal", "update_goal", "report_findings", "record_artifact", "tool_search"],
];

/** It would ask its model, after each turn, what to remember of it for other turns. */
const defaults = JSON.stringify({
  memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
});

/** The variables of one call of Qwen Code. */
export function envOf({ endpoint, environment, scratch }: CliInvocation): Environment {
  return {
    ...picked(environment, /^(QWEN_HOME|OPENAI_MODEL)$/),
    ...(endpoint && { OPENAI_BASE_URL: endpoint.baseUrl, OPENAI_API_KEY: endpoint.key }),
    QWEN_CODE_SYSTEM_DEFAULTS_PATH: scratch.write("defaults.json", defaults),
    QWEN_CODE_NO_RELAUNCH: "true",
    QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
    QWEN_CODE_DISABLE_WORKFLOWS: "1",
  };
}
