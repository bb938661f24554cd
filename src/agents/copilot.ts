import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import type { CliDefinition, CliInvocation } from "./cli/cli-definition.ts";
import { mcpServerConfig } from "./cli/mcp-config.ts";
import { picked } from "./cli/pick-variables.ts";
import { sessionFiles } from "./cli/session-files.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

/** GitHub's Copilot CLI, with the user's subscription or with a model of the user's own. */
export const copilot: CliDefinition = {
  name: "copilot",
  program: {
    name: "copilot",
    package: "@github/copilot",
    native: [`@github/copilot-${process.platform}-${process.arch}/copilot`],
    from: "1.0.90",
    below: "2.0.0",
    tested: "1.0.102",
  },
  keys: [
    {
      variable: "COPILOT_PROVIDER_API_KEY",
      // Other kinds send their key by other headers.
      serves: (_, environment) => (environment["COPILOT_PROVIDER_TYPE"] || "openai") === "openai",
      lease: {
        wire: "openai",
        upstream: { variable: "COPILOT_PROVIDER_BASE_URL", usual: "https://api.openai.com/v1" },
        header: { name: "authorization", prefix: "Bearer " },
      },
    },
    { variable: "COPILOT_PROVIDER_API_KEY" },
    { variable: "COPILOT_GITHUB_TOKEN" },
  ],
  hasLogin: (environment) => namesUser(join(folderOf(environment), "config.json")),
  hosts: ["*.githubcopilot.com", "api.github.com"],
  home: {
    variable: "COPILOT_HOME",
    folder: (environment) => folderOf(environment),
    settings: [
      "config.json",
      "settings.json",
      "mcp-config.json",
      "copilot-instructions.md",
      "agents",
      "skills",
    ],
  },
  stop: { signal: "SIGTERM", graceMs: 3000 },
  totals: { tokens: true, cost: false },
  structured: "submit_result",
  sessions: sessionFiles({
    root: ({ environment }) => folderOf(environment),
    globs: (id) => [`session-state/${id}/events.jsonl`],
  }),
  async begin(turn) {
    const { readingOf } = await import("./copilot-events.ts");
    const usageFile = turn.scratch.write("usage.json", "");
    return {
      args: argsOf(turn, { usageFile, servers: await ownServers(turn) }),
      env: envOf(turn),
      preface: turn.request.instructions,
      ...readingOf(turn, usageFile),
    };
  },
};

/** It writes that file at its first start. */
function namesUser(file: string): boolean {
  return existsSync(file) && /logged_?in_?user/i.test(readFileSync(file, "utf8"));
}

const folderOf = (environment: Environment) =>
  environment["COPILOT_HOME"] || join(environment["HOME"] || homedir(), ".copilot");

/** The MCP servers of a node. */
async function ownServers(turn: CliInvocation): Promise<Readonly<Record<string, unknown>>> {
  if (turn.request.settings?.mcp === undefined) return {};
  const { copilotServers, mcpServers } = await import("./mcp-file.ts");
  return copilotServers(await mcpServers(turn));
}

interface Parts {
  readonly usageFile: string;
  readonly servers: Readonly<Record<string, unknown>>;
}

function argsOf(
  { request, session, server, scratch, extra, heeds }: CliInvocation,
  { usageFile, servers }: Parts,
) {
  const effort = request.settings?.effort;
  const denied = toolsDenied(request, ownTools);
  const ours = server && { "until-green": { type: "http", ...mcpServerConfig(server), tools: ["*"] } };
  const all = { ...servers, ...ours };
  return [
    // This flag allows all tools, and does not trust what the folder configures.
    ...["--output-format", "json", "--allow-all", "--no-ask-user", "--no-auto-update"],
    ...(heeds ? [] : ["--no-custom-instructions"]),
    ...["--disable-builtin-mcps", "--usage-output-file", usageFile],
    ...(request.model === undefined ? [] : ["--model", request.model]),
    ...(effort === undefined ? [] : ["--reasoning-effort", effort]),
    ...(denied.length === 0 ? [] : ["--excluded-tools", denied.join(",")]),
    ...(Object.keys(all).length === 0
      ? []
      : ["--additional-mcp-config", `@${scratch.write("mcp.json", JSON.stringify({ mcpServers: all }))}`]),
    // It continues a conversation that it knows, and starts others.
    ...["--session-id", session.id],
    ...extra,
  ];
}

const ownTools: OwnTools = {
  read: ["view"],
  search: ["grep", "glob", "rg"],
  edit: ["edit", "apply_patch"],
  write: ["create"],
  shell: ["bash", "write_bash", "read_bash", "stop_bash", "list_bash"],
  web: ["web_fetch"],
  agent: ["task"],
};

function envOf({ endpoint, environment, request, trusts }: CliInvocation): Environment {
  const isOwnModel = endpoint !== undefined || environment["COPILOT_PROVIDER_API_KEY"] !== undefined;
  return {
    ...picked(environment, isOwnModel ? /^COPILOT_(HOME|MODEL|PROVIDER_)/ : /^COPILOT_(HOME|MODEL)$/),
    ...(endpoint && {
      COPILOT_PROVIDER_BASE_URL: endpoint.baseUrl,
      COPILOT_PROVIDER_API_KEY: endpoint.key,
    }),
    ...(isOwnModel && { COPILOT_OFFLINE: "true" }),
    ...(request.model !== undefined && isOwnModel ? { COPILOT_MODEL: request.model } : {}),
    COPILOT_AUTO_UPDATE: "false",
    // It trusts the folder then: its hooks and servers run.
    COPILOT_ALLOW_ALL: trusts ? "true" : undefined,
  };
}
