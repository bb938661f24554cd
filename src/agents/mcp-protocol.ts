import { parseJson } from "../ports/parse-json.ts";
import type { LoopTools } from "./loop-tools.ts";

/**
 * Answers one message of an MCP client, both as JSON; `undefined` if it needs no answer. Implements only what a tool
 * server needs, because an agent waits for it at each start.
 */
export function answerMcp(text: string, tools: LoopTools): string | undefined {
  const message = parseJson(text);
  if (message === undefined) return reply(null, refused(-32700, "the message is not JSON"));
  const { id, method, params } = fieldsOf(message);
  // Without a method it is a response, and we send no requests; without an id no reply is expected.
  if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return undefined;
  return reply(id, outcomeOf(method, { params: fieldsOf(params), tools }));
}

type Outcome = { readonly result: unknown } | { readonly error: { readonly code: number; message: string } };

const reply = (id: string | number | null, outcome: Outcome) =>
  JSON.stringify({ jsonrpc: "2.0", id, ...outcome });

interface MethodCall {
  readonly params: Fields;
  readonly tools: LoopTools;
}

function outcomeOf(method: string, { params, tools }: MethodCall): Outcome {
  switch (method) {
    case "initialize":
      return { result: greeting(params["protocolVersion"]) };
    case "ping":
      return { result: {} };
    case "tools/list":
      return {
        result: { tools: tools.offered.map(({ schema, ...tool }) => ({ ...tool, inputSchema: schema })) },
      };
    case "tools/call":
      return called(params, tools);
    default:
      return refused(-32601, `there is no method ${method.slice(0, 100)} here`);
  }
}

const greeting = (version: unknown) => ({
  protocolVersion: versions.find((known) => known === version) ?? versions[0],
  capabilities: { tools: {} },
  serverInfo: { name: "until-green", version: "1" },
});

/** Protocol versions, newest first, that do not differ for a server that has only tools. */
const versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

function called({ name, arguments: args }: Fields, { call }: LoopTools): Outcome {
  if (typeof name !== "string") return refused(-32602, "tools/call needs the `name` of a tool");
  const { text, isError } = call(name, args);
  return { result: { content: [{ type: "text", text }], isError } };
}

const refused = (code: number, message: string) => ({ error: { code, message } });

type Fields = { readonly [key: string]: unknown };

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
