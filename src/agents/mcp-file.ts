import { AgentError } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";
import { agentEnvironment, type Environment } from "../processes/environment.ts";
import type { CliInvocation } from "./cli/cli-definition.ts";
import { readInside } from "./workspace-file.ts";

type Mapping = Readonly<Record<string, Json>>;

/** As in `.mcp.json`: each has `command`, `args` and `env`, or `url` and `headers`. */
export type McpServers = Readonly<Record<string, Mapping>>;

/** The MCP servers in the file that a node names, by name. */
export async function mcpServers({ request, context, environment }: CliInvocation): Promise<McpServers> {
  const path = request.settings?.mcp;
  if (path === undefined) return {};
  const text = await readInside(context.workspace, path).catch((error: Error) =>
    fail(`the MCP file ${path} cannot be read: ${error.message}`),
  );
  const seen = agentEnvironment(environment, {});
  try {
    const servers = JSON.parse(text) as Mapping;
    const named = (servers["mcpServers"] ?? servers) as McpServers;
    return Object.fromEntries(Object.entries(named).map(([name, it]) => [name, filled(it, seen)]));
  } catch (error) {
    return fail(`the MCP file ${path} is not valid: ${(error as Error).message}`);
  }
}

/** Variables in `env` and `headers` are limited to those that agents may see. */
function filled(server: Mapping, seen: Environment): Mapping {
  const fill = (value: Json): Json =>
    typeof value !== "string"
      ? value
      : value.replace(/\$(?:\{([A-Z_][A-Z0-9_]*)\}|([A-Z_][A-Z0-9_]*))/g, (_, a, b) => seen[a ?? b] ?? "");
  const filledIn = ["env", "headers"].flatMap((key) => {
    const values = server[key];
    if (typeof values !== "object" || values === null || Array.isArray(values)) return [];
    return [[key, Object.fromEntries(Object.entries(values).map(([name, it]) => [name, fill(it)]))] as const];
  });
  return { ...server, ...Object.fromEntries(filledIn) };
}

function fail(message: string): never {
  throw new AgentError("missing", message);
}

/** The same for Codex, which names some keys differently. Throws for a server that Codex does not support. */
export function codexServers(servers: McpServers): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, { type, headers, tools: _, ...server }]) => {
      if (type === "sse") return fail(`the MCP server ${name} is of type sse, which codex does not have`);
      if (!/^[\w-]+$/.test(name))
        return fail(`codex has no MCP server with the name ${JSON.stringify(name)}`);
      return [name, { ...server, ...(headers === undefined ? {} : { http_headers: headers }) }];
    }),
  );
}

/** The same for Copilot, which offers only listed tools. */
export const copilotServers = (servers: McpServers): McpServers =>
  Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      { type: "url" in server ? "http" : "local", tools: ["*"], ...server },
    ]),
  );
