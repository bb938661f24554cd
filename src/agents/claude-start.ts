import type { Environment } from "../processes/environment.ts";
import { usesCloud } from "./claude-clouds.ts";
import { claudeReader } from "./claude-events.ts";
import { extraArgs, thinkingEnv } from "./claude-extras.ts";
import type { CliInvocation, CliProcess } from "./cli/cli-definition.ts";
import { picked } from "./cli/config-folder.ts";
import { argumentsFor, option, type ProgramFlags } from "./cli/flags.ts";
import { mcpFile, ourServer } from "./cli/mcp-config.ts";
import { mcpServers } from "./mcp-file.ts";
import { type OwnTools, toolsAllowed, toolsDenied } from "./tool-limits.ts";

/** One call of Claude Code. */
export async function begin(turn: CliInvocation): Promise<CliProcess> {
  const args = [...argsOf(turn, await mcpServers(turn)), ...extraArgs(turn), ...argumentsFor(turn, flags)];
  return { args, env: { ...envOf(turn), ...thinkingEnv(turn) }, ...claudeReader(turn) };
}

/** The user's own settings, without entries that would grant more access. */
const ownSettings =
  /^(CLAUDE_CONFIG_DIR|CLAUDE_CODE_MAX_OUTPUT_TOKENS|MAX_THINKING_TOKENS|BASH_\w+|ANTHROPIC_(MODEL|SMALL_FAST_MODEL|DEFAULT_\w+_MODEL))$/;

const flags: ProgramFlags = {
  model: "--model",
  effort: "--effort",
  efforts: ["low", "medium", "high", "xhigh", "max"],
  maxTurns: "--max-turns",
  instructions: "--append-system-prompt-file",
  resume: "--resume",
  begin: "--session-id",
};

function argsOf(
  { request, server, scratch, trusts, followsInstructions }: CliInvocation,
  own: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { schema, settings = {} } = request;
  const allowed = toolsAllowed(request, ownTools);
  const servers = { ...own, ...ourServer(server, { type: "http", alwaysLoad: true }) };
  const hasServers = Object.keys(servers).length > 0;
  return [
    "--print",
    ...["--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    ...["--permission-mode", "bypassPermissions"],
    // Ignores hooks, servers and endpoints configured by the checkout. Its CLAUDE.md is text, like the code, and is
    // read with the folder.
    ...(trusts ? [] : ["--setting-sources", "user", "--strict-mcp-config"]),
    ...(followsInstructions && !trusts ? ["--add-dir", "."] : []),
    ...option("--mcp-config", hasServers ? mcpFile(scratch, servers) : undefined),
    ...option("--tools", allowed?.join(",")),
    ...option("--disallowedTools", toolsDenied(request, ownTools).join(",")),
    ...option("--fallback-model", settings.fallbackModel),
    ...(settings.betas?.length ? ["--betas", ...settings.betas] : []),
    ...option("--max-budget-usd", settings.maxBudgetUsd),
    ...option("--json-schema", schema === undefined ? undefined : JSON.stringify(schema)),
  ];
}

const ownTools: OwnTools = {
  read: ["Read"],
  search: ["Grep", "Glob"],
  edit: ["Edit", "NotebookEdit"],
  write: ["Write"],
  shell: ["Bash"],
  web: ["WebFetch", "WebSearch"],
  agent: ["Task", "Agent"],
  outOfPlace: [
    ...["EnterWorktree", "ExitWorktree", "ScheduleWakeup", "CronCreate", "CronDelete", "CronList"],
    ...["Monitor", "AskUserQuestion"],
  ],
};

function envOf({ endpoint, environment, followsInstructions }: CliInvocation): Environment {
  const isBearer = endpoint?.variable === "ANTHROPIC_AUTH_TOKEN";
  return {
    ...picked(
      environment,
      usesCloud(environment) ? /^(CLAUDE_|ANTHROPIC_|AWS_|AZURE_|GOOGLE_|CLOUD_ML_|VERTEX_)/ : ownSettings,
    ),
    ...(endpoint && {
      ANTHROPIC_BASE_URL: endpoint.baseUrl,
      ANTHROPIC_API_KEY: isBearer ? undefined : endpoint.key,
      ANTHROPIC_AUTH_TOKEN: isBearer ? endpoint.key : undefined,
    }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: followsInstructions ? "1" : undefined,
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    // Claude Code does not exit while a background task is running.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    // A few retries keep the conversation. After that, the run waits and calls again.
    CLAUDE_CODE_MAX_RETRIES: "4",
    // It refuses to run unattended as root, the usual user of container jobs.
    ...(process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {}),
  };
}
