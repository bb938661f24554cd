import type { Environment } from "../processes/environment.ts";
import type { CliInvocation } from "./cli/cli-definition.ts";
import { mcpServerConfig } from "./cli/mcp-config.ts";
import { picked } from "./cli/pick-variables.ts";
import { type OwnTools, toolsDenied } from "./tool-limits.ts";

/** The MCP servers of a node. */
export async function ownServers(turn: CliInvocation): Promise<Readonly<Record<string, unknown>>> {
  if (turn.request.settings?.mcp === undefined) return {};
  const { copilotServers, mcpServers } = await import("./mcp-file.ts");
  return copilotServers(await mcpServers(turn));
}

interface Parts {
  readonly usageFile: string;
  readonly servers: Readonly<Record<string, unknown>>;
}

/** The arguments of one call of Copilot CLI. */
export function argsOf(
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

/** The variables of one call of Copilot CLI. */
export function envOf({ endpoint, environment, request, trusts }: CliInvocation): Environment {
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
