import { readFile } from "node:fs/promises";
import { AgentError } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";
import { agentEnvironment, type Environment } from "../processes/environment.ts";
import type { CliInvocation } from "./cli/cli-definition.ts";
import { placeInside } from "./workspace-file.ts";

type Mapping = Readonly<Record<string, Json>>;

/** The flags for the hooks and the sub-agents of a node. */
export function extraArgs({ request, scratch }: CliInvocation): readonly string[] {
  const { hooks, subagents } = request.settings ?? {};
  const commands = hooks && { hooks: hooksFor(hooks, (name, text) => scratch.write(name, text)) };
  return [
    ...(commands === undefined ? [] : ["--settings", scratch.write("hooks.json", JSON.stringify(commands))]),
    ...(subagents === undefined ? [] : ["--agents", JSON.stringify(subagents)]),
  ];
}

/** A fixed response becomes a command that prints it; a command stays one. */
function hooksFor(hooks: Json, write: (name: string, text: string) => string): Mapping {
  let count = 0;
  const commandOf = ({ response, command, timeout }: Mapping): Mapping => {
    count += 1;
    const file = response === undefined ? "" : write(`hook-${count}.json`, JSON.stringify(response));
    return {
      type: "command",
      command: command ?? `cat '${file.replaceAll("'", "'\\''")}'`,
      ...(timeout === undefined ? {} : { timeout }),
    };
  };
  const matched = (one: Mapping): Mapping => ({
    ...(one["matcher"] === undefined ? {} : { matcher: one["matcher"] }),
    hooks: [commandOf(one)],
  });
  const events = Object.entries(hooks as Readonly<Record<string, readonly Mapping[]>>);
  return Object.fromEntries(events.map(([event, list]) => [event, list.map(matched)]));
}

/** The MCP servers in the file that a node names, by name. */
export async function mcpServers({ request, context, environment }: CliInvocation): Promise<Mapping> {
  const path = request.settings?.mcp;
  if (path === undefined) return {};
  const text = await placeInside(context.workspace, path)
    .then((file) => readFile(file, "utf8"))
    .catch((error: Error) => fail(`the MCP file ${path} cannot be read: ${error.message}`));
  const seen = agentEnvironment(environment, {});
  try {
    const servers = JSON.parse(text) as Mapping;
    const named = (servers["mcpServers"] ?? servers) as Readonly<Record<string, Mapping>>;
    return Object.fromEntries(Object.entries(named).map(([name, it]) => [name, filled(it, seen)]));
  } catch (error) {
    return fail(`the MCP file ${path} is not valid: ${(error as Error).message}`);
  }
}

/** Variables in `env` and `headers` are those that agents may see. */
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
