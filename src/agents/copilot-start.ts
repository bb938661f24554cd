import type { Environment } from "../processes/environment.ts";
import type { CliInvocation, CliProcess } from "./cli/cli-definition.ts";
import { picked } from "./cli/config-folder.ts";
import { argumentsFor } from "./cli/flags.ts";
import { mcpFile, ourServer } from "./cli/mcp-config.ts";
import { eventReader } from "./copilot-events.ts";
import { type OwnTools, toolsAllowed, toolsDenied } from "./tool-limits.ts";

/** One call of Copilot CLI. */
export async function begin(turn: CliInvocation): Promise<CliProcess> {
  const usageFile = turn.scratch.write("usage.json", "");
  return {
    args: argsOf(turn, { usageFile, servers: await ownServers(turn) }),
    env: envOf(turn),
    preface: turn.request.instructions,
    ...eventReader(turn, usageFile),
  };
}

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

function argsOf(turn: CliInvocation, { usageFile, servers }: Parts): readonly string[] {
  const all = { ...servers, ...ourServer(turn.server, { type: "http", tools: ["*"] }) };
  return [
    // Allows all tools, but does not trust the folder's configuration.
    ...["--output-format", "json", "--allow-all", "--no-ask-user", "--no-auto-update"],
    ...["--disable-builtin-mcps", "--usage-output-file", usageFile],
    ...limitsOf(turn),
    ...(Object.keys(all).length === 0 ? [] : ["--additional-mcp-config", `@${mcpFile(turn.scratch, all)}`]),
    ...argumentsFor(turn, {
      model: "--model",
      effort: "--reasoning-effort",
      efforts: ["low", "medium", "high", "xhigh"],
      ignoreInstructions: "--no-custom-instructions",
      // Continues the conversation if it exists, else starts one with this id.
      resume: "--session-id",
      begin: "--session-id",
    }),
  ];
}

/** A judge gets no other tools than these. A worker may have its own servers, whose tools are unknown to us. */
function limitsOf({ request, server }: CliInvocation): readonly string[] {
  if (request.role === "judge") {
    const loopTools = server?.tools.map(({ name }) => `until-green-${name}`) ?? [];
    return ["--available-tools", [...(toolsAllowed(request, ownTools) ?? []), ...loopTools].join(",")];
  }
  const denied = toolsDenied(request, ownTools);
  return denied.length === 0 ? [] : ["--excluded-tools", denied.join(",")];
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

/** Included in every plan of Copilot, also in the free one. */
const usualModel = "gpt-5-mini";

function envOf({ endpoint, environment, request, trusts }: CliInvocation): Environment {
  const isOwnModel = endpoint !== undefined || environment["COPILOT_PROVIDER_API_KEY"] !== undefined;
  // With an endpoint of its own, the program has no default.
  const usual =
    endpoint?.variable === "COPILOT_REQUESTS_TOKEN" ? environment["COPILOT_MODEL"] || usualModel : undefined;
  const model = request.model ?? usual;
  return {
    ...picked(environment, isOwnModel ? /^COPILOT_(MODEL$|PROVIDER_)/ : /^COPILOT_MODEL$/),
    ...(endpoint && {
      COPILOT_PROVIDER_BASE_URL: endpoint.baseUrl,
      COPILOT_PROVIDER_API_KEY: endpoint.key,
    }),
    ...(isOwnModel && { COPILOT_OFFLINE: "true" }),
    ...(isOwnModel && model !== undefined ? { COPILOT_MODEL: model } : {}),
    COPILOT_AUTO_UPDATE: "false",
    // Makes it trust the folder: its hooks and servers run.
    COPILOT_ALLOW_ALL: trusts ? "true" : undefined,
  };
}
