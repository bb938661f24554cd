import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AgentAnswer, AgentContext, AgentRequest } from "../ports/agent.ts";
import { parseJson } from "../ports/parse-json.ts";
import { listenInBackground } from "../processes/listen.ts";
import type { PrivateTempDir } from "../processes/private-temp-dir.ts";
import { type LoopTool, type LoopTools, openLoopTools } from "./loop-tools.ts";

/** The loop's tools for other programs: an MCP server on loopback, in this process. */
export interface McpServer {
  /** Its HTTP address. */
  readonly url: string;
  /** The bearer token for access, generated for this answer only. */
  readonly key: string;
  /** The tools it offers. */
  readonly tools: readonly LoopTool[];
  /** The agent's reports so far, to be merged into its answer. */
  answer(): Partial<AgentAnswer>;
}

interface ToolboxRequest {
  readonly request: AgentRequest;
  readonly context: AgentContext;
  /** Removing it closes the server. */
  readonly scratch: PrivateTempDir;
}

/** Starts a server with the tools for a request; `undefined` if there are none. */
export async function startMcpServer({
  request,
  context,
  scratch,
}: ToolboxRequest): Promise<McpServer | undefined> {
  const tools = openLoopTools(request, context);
  if (tools.offered.length === 0) return undefined;
  const key = randomBytes(24).toString("hex");
  const port = await openServer({ tools, key, scratch });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    key,
    tools: tools.offered,
    answer: tools.answer,
  };
}

interface Opened {
  readonly tools: LoopTools;
  readonly key: string;
  readonly scratch: PrivateTempDir;
}

async function openServer({ tools, key, scratch }: Opened): Promise<number> {
  // A connection may be idle while its agent works; closing it just when a call starts would lose that call.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void serve({ request, response, tools, key }).catch(() => response.destroy());
  });
  server.on("clientError", (_, socket) => socket.destroy());
  // Only the agent's call keeps this process alive.
  const port = await listenInBackground(server);
  scratch.onRemove(() => {
    server.close();
    server.closeAllConnections();
  });
  return port;
}

interface Serving extends Omit<Opened, "scratch"> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers one message of the client. The server never sends messages by itself. */
async function serve({ request, response, tools, key }: Serving): Promise<void> {
  const end = (status: number, body?: string) => {
    request.resume();
    response.writeHead(status, body === undefined ? {} : { "content-type": "application/json" });
    response.end(body);
  };
  if (!isSame(request.headers.authorization ?? "", `Bearer ${key}`)) return end(401);
  if (request.method !== "POST") return end(405);
  const text = await bodyOf(request);
  if (text === undefined) return end(413);
  const reply = answerMcp(text, tools);
  end(reply === undefined ? 202 : 200, reply);
}

/** Maximum request size in bytes; larger than any tool call. */
const mostBody = 4 * 1024 * 1024;

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > mostBody) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isSame(token: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(token), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

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
