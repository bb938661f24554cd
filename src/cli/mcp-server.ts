import type { Readable, Writable } from "node:stream";
import { version } from "./help.ts";

/** A tool as a client of MCP is told of it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of its arguments, always of an object. */
  readonly schema: { readonly [key: string]: unknown };
}

interface Serving {
  readonly tools: readonly McpTool[];
  /** Makes a call; what it came to, in words for the model. */
  call(name: string, args: unknown): Promise<{ readonly text: string; readonly isError: boolean }>;
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Serves tools over standard streams as MCP wants it, a JSON-RPC message a line; resolves when the client has hung up
 * and every call of its is answered. Only what a server of tools needs: an agent waits for it at each of its starts.
 */
export async function serveMcp(serving: Serving): Promise<void> {
  const { input, output } = serving;
  const underWay = new Set<Promise<void>>();
  // The client may be gone before its answer is.
  output.on("error", () => undefined);
  for await (const line of linesOf(input)) {
    const work = answer(line, serving).then((reply) => {
      if (reply !== undefined) output.write(`${JSON.stringify({ jsonrpc: "2.0", ...reply })}\n`);
      underWay.delete(work);
    });
    underWay.add(work);
  }
  await Promise.all(underWay);
}

type Id = string | number | null;
type Outcome = { readonly result: unknown } | { readonly error: { readonly code: number; message: string } };
type Reply = { readonly id: Id } & Outcome;

/** The answer to one line; `undefined` where none is wanted. */
async function answer(line: string, serving: Serving): Promise<Reply | undefined> {
  const message = parsed(line);
  if (message === undefined) return { id: null, ...refused(-32700, "a line is not JSON") };
  const { id, method, params } = fieldsOf(message);
  // Without a method it answers a question, and we ask none; without an id nobody waits.
  if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return undefined;
  return { id, ...(await outcomeOf(method, { params: fieldsOf(params), serving })) };
}

interface Asked {
  readonly params: Fields;
  readonly serving: Serving;
}

async function outcomeOf(method: string, { params, serving }: Asked): Promise<Outcome> {
  switch (method) {
    case "initialize":
      return { result: greeting(params["protocolVersion"]) };
    case "ping":
      return { result: {} };
    case "tools/list":
      return {
        result: {
          tools: serving.tools.map(({ schema, ...tool }) => ({ ...tool, inputSchema: schema })),
        },
      };
    case "tools/call":
      return called(params, serving);
    default:
      return refused(-32601, `there is no method ${method.slice(0, 100)} here`);
  }
}

const greeting = (asked: unknown) => ({
  protocolVersion: versions.find((known) => known === asked) ?? versions[0],
  capabilities: { tools: {} },
  serverInfo: { name: "until-green", version },
});

/** The protocol's versions, newest first, that a server of tools alone speaks alike. */
const versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

async function called({ name, arguments: args }: Fields, { call }: Serving): Promise<Outcome> {
  if (typeof name !== "string") return refused(-32602, "tools/call needs the `name` of a tool");
  const { text, isError } = await call(name, args);
  return { result: { content: [{ type: "text", text }], isError } };
}

const refused = (code: number, message: string) => ({ error: { code, message } });

/** More than any message of a client may have. */
const mostLine = 16 * 1024 * 1024;

async function* linesOf(input: Readable): AsyncGenerator<string> {
  let text = "";
  for await (const chunk of input.setEncoding("utf8")) {
    const lines = `${text}${chunk}`.split("\n");
    text = lines.pop() ?? "";
    yield* lines.filter((line) => line.trim() !== "");
    if (text.length > mostLine) return;
  }
}

type Fields = { readonly [key: string]: unknown };

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
