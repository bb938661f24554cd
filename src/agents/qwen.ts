import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import type { CliDefinition, CliInvocation } from "./cli/cli-definition.ts";
import { mcpServerConfig } from "./cli/mcp-config.ts";
import { picked } from "./cli/pick-variables.ts";
import { sessionFiles } from "./cli/session-files.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

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
  keys: [
    {
      variable: "OPENAI_API_KEY",
      lease: {
        wire: "openai",
        upstream: { variable: "OPENAI_BASE_URL", usual: "https://api.openai.com/v1" },
        header: { name: "authorization", prefix: "Bearer " },
      },
    },
  ],
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
    const { createEventReader } = await import("./claude-events.ts");
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

function argsOf({ request, session, server, scratch, extra, heeds }: CliInvocation): readonly string[] {
  const { model, settings = {} } = request;
  const tools = server && {
    mcpServers: {
      "until-green": { httpUrl: server.url, headers: mcpServerConfig(server).headers, trust: true },
    },
  };
  return [
    ...["--output-format", "stream-json", "--include-partial-messages"],
    ...["--auth-type", "openai", "--approval-mode", "yolo"],
    // Who judges takes no instructions from files of the checkout.
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

function envOf({ endpoint, environment, scratch }: CliInvocation): Environment {
  return {
    ...picked(environment, /^(QWEN_HOME|OPENAI_MODEL)$/),
    ...(endpoint && { OPENAI_BASE_URL: endpoint.baseUrl, OPENAI_API_KEY: endpoint.key }),
    QWEN_CODE_SYSTEM_DEFAULTS_PATH: scratch.write("defaults.json", defaults),
    QWEN_CODE_NO_RELAUNCH: "true",
    QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
    QWEN_CODE_DISABLE_WORKFLOWS: "1",
  };
}
