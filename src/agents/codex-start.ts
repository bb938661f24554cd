import type { Json } from "../ports/json.ts";
import type { CliInvocation, CliProcess } from "./cli/cli-definition.ts";
import { eventReader } from "./codex-events.ts";
import { isReadOnly } from "./tool-limits.ts";

/** One call of Codex. */
export async function begin(turn: CliInvocation): Promise<CliProcess> {
  return {
    args: argsOf(turn, await ownServers(turn)),
    env: {
      ...(turn.endpoint && { [keyVariable]: turn.endpoint.key }),
      ...(turn.server && { [toolsVariable]: turn.server.key }),
    },
    preface: prefaceOf(turn),
    ...eventReader(turn),
  };
}

/** Codex recognizes these names and hides the variables from the commands it runs. */
const keyVariable = "UNTIL_GREEN_MODEL_KEY";
const toolsVariable = "UNTIL_GREEN_TOOLS_KEY";

/** The settings for the MCP servers of a node. */
async function ownServers(turn: CliInvocation): Promise<readonly string[]> {
  if (turn.request.settings?.mcp === undefined) return [];
  const { codexServers, mcpServers } = await import("./mcp-file.ts");
  const servers = codexServers(await mcpServers(turn));
  return Object.entries(servers).map(([name, server]) => `mcp_servers.${name}=${toml(server)}`);
}

function argsOf(turn: CliInvocation, servers: readonly string[]): readonly string[] {
  const { request, session, scratch, extra } = turn;
  const { model, schema, settings } = request;
  const effort = settings?.effort;
  const instructions = instructionsOf(turn);
  const isAsked = schema !== undefined && isStrict(schema);
  return [
    "exec",
    ...(session.isContinued ? ["resume"] : []),
    ...["--json", "--skip-git-repo-check"],
    ...(isReadOnly(request)
      ? ["-c", 'sandbox_mode="read-only"', "-c", 'approval_policy="never"']
      : ["--dangerously-bypass-approvals-and-sandbox"]),
    ...(effort === undefined ? [] : ["-c", `model_reasoning_effort=${toml(effort)}`]),
    ...(settings?.webSearch === undefined ? [] : ["-c", `web_search=${toml(settings.webSearch)}`]),
    // Plugins use the network at each start, and hang without it.
    ...["--disable", "plugins"],
    ...[...servers, ...configOf(turn)].flatMap((setting) => ["-c", setting]),
    ...(fitsInArgument(instructions) ? ["-c", `developer_instructions=${toml(instructions)}`] : []),
    ...(model === undefined ? [] : ["-m", model]),
    ...(isAsked ? ["--output-schema", scratch.write("schema.json", JSON.stringify(schema))] : []),
    ...extra,
    ...(session.isContinued ? [session.id] : []),
    "-",
  ];
}

function configOf({ endpoint, server, request, followsInstructions }: CliInvocation): readonly string[] {
  return [
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "shell_environment_policy.ignore_default_excludes=false",
    ...(followsInstructions ? [] : ["project_doc_max_bytes=0"]),
    ...(endpoint === undefined
      ? []
      : [
          "model_provider=until-green",
          `model_providers.until-green=${toml({
            name: "until-green",
            base_url: endpoint.baseUrl,
            env_key: keyVariable,
            wire_api: "responses",
            request_max_retries: 2,
            stream_max_retries: 4,
            stream_idle_timeout_ms: Math.min(request.idleMs, longestSilenceMs),
          })}`,
        ]),
    ...(server === undefined
      ? []
      : [
          `mcp_servers.until-green=${toml({ url: server.url, bearer_token_env_var: toolsVariable, required: true })}`,
        ]),
  ];
}

const longestSilenceMs = 300_000;

/** For some models it hides a server's tools until they search for them. */
function instructionsOf({ request, server }: CliInvocation): string {
  const tools = server?.tools.map(({ name }) => name).join(", ");
  const hint = `The server until-green has tools for this task: ${tools}. If you do not see them, find them by tool_search.`;
  return [request.instructions ?? "", ...(server === undefined ? [] : [hint])]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Settings that have no flag. */
function prefaceOf(turn: CliInvocation): string | undefined {
  const { schema } = turn.request;
  const instructions = instructionsOf(turn);
  const asks = schema !== undefined && !isStrict(schema);
  const parts = [
    ...(instructions === "" || fitsInArgument(instructions) ? [] : [instructions]),
    ...(asks
      ? [`Your final message must be JSON and nothing else, and keep this schema:\n${JSON.stringify(schema)}`]
      : []),
  ];
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

/** The kernel limits one argument to 128 KiB. */
const fitsInArgument = (text: string) => text !== "" && Buffer.byteLength(text) < 64 * 1024;

/** A value as TOML, on one line. */
function toml(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}=${toml(field)}`);
    return `{${fields.join(",")}}`;
  }
  return typeof value === "string"
    ? JSON.stringify(value.toWellFormed()).replaceAll("\u007f", "\\u007f")
    : String(value);
}

/**
 * True if OpenAI's strict mode supports a schema: every object lists all its fields as required and allows no others.
 */
function isStrict(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (typeof schema !== "object" || schema === null) return true;
  const { type, properties, required, additionalProperties } = schema as { readonly [key: string]: Json };
  if (type === "object") {
    const names = Object.keys(typeof properties === "object" ? (properties ?? {}) : {});
    const listed = new Set(Array.isArray(required) ? required : []);
    if (additionalProperties !== false || !names.every((name) => listed.has(name))) return false;
  }
  return Object.values(schema).every(isStrict);
}
