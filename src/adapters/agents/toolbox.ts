import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import type { AgentAnswer, AgentContext, AgentRequest } from "../../ports/agent.ts";
import type { Scratch } from "../scratch.ts";
import { type LoopTools, openLoopTools } from "./loop-tools.ts";
import { readLine } from "./tool-line.ts";

/** The tools for loops as a program of another maker gets them: a server of MCP on standard input and output. */
export interface Toolbox {
  /** How to start the server; it needs no environment of its own. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The names of the tools it offers. */
  readonly tools: readonly string[];
  /** What the agent said by them so far: to be spread over its answer. */
  heard(): Partial<AgentAnswer>;
}

interface ToolboxRequest {
  readonly request: AgentRequest;
  readonly context: AgentContext;
  /** Its removal closes the toolbox. */
  readonly scratch: Scratch;
}

/** Opens the tools for one request; `undefined` where none makes sense. The calls are carried out in this process. */
export function openToolbox({ request, context, scratch }: ToolboxRequest): Toolbox | undefined {
  const tools = openLoopTools(request, context);
  if (tools.offered.length === 0) return undefined;
  // Not in the scratch folder: the path of a socket may have some hundred letters only.
  const folder = mkdtempSync(join(tmpdir(), "ug-"));
  const socket = join(folder, "tools");
  const token = randomBytes(24).toString("hex");
  const server = createServer((peer) => void serve(peer, tools, token));
  server.unref();
  server.on("error", () => undefined);
  server.listen(socket);
  scratch.onRemove(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = scratch.write("tools.json", JSON.stringify({ socket, token, tools: tools.offered }));
  return {
    command: execPath,
    args: [ourServer(), file],
    env: {},
    tools: tools.offered.map(({ name }) => name),
    heard: tools.heard,
  };
}

/** One connection, one call: whoever has the token may make it. */
async function serve(peer: Socket, tools: LoopTools, token: string): Promise<void> {
  peer.on("error", () => undefined);
  try {
    const call = JSON.parse(await readLine(peer)) as { token?: unknown; name?: unknown; args?: unknown };
    const isOurs = call.token === token && typeof call.name === "string";
    const reply = isOurs
      ? tools.call(String(call.name), call.args)
      : { text: "not known here", isError: true };
    peer.end(`${JSON.stringify(reply)}\n`);
  } catch {
    peer.destroy();
  }
}

/** A file of its own, so that no agent waits for the whole command line: in `dist/`, or as a source. */
function ourServer(): string {
  const places = ["until-green-mcp.js", "../until-green-mcp.js", "../../cli/mcp-main.ts"];
  const files = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new Error(`until-green is not whole: ${files[0]} is missing`);
  return found;
}
