import { readFileSync } from "node:fs";
import { callTool } from "../adapters/agents/tool-line.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { type McpTool, serveMcp } from "./mcp-server.ts";

/** `until-green mcp`: offers the tools for loops to the agent that started it, and passes its calls on to the run. */
export async function mcpCommand(file: string): Promise<ExitCode> {
  const { socket, token, tools } = readTools(file);
  await serveMcp({
    tools,
    call: (name, args) => callTool({ socket, token, name, args }),
    input: process.stdin,
    output: process.stdout,
  });
  return exit.ok;
}

interface ToolsFile {
  readonly socket: string;
  readonly token: string;
  readonly tools: readonly McpTool[];
}

/** Read by hand: a library that checks it would take longer to load than all the rest. */
function readTools(file: string): ToolsFile {
  try {
    const read = JSON.parse(readFileSync(file, "utf8")) as Partial<ToolsFile> | null;
    if (isText(read?.socket) && isText(read.token) && Array.isArray(read.tools) && read.tools.every(isTool))
      return read as ToolsFile;
    throw new Error("it has other fields");
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? "it is damaged";
    throw new UsageError(
      `--tools ${file}: no tools of a running agent (${why}); agents start this by themselves`,
    );
  }
}

const isText = (value: unknown): value is string => typeof value === "string";

function isTool(value: unknown): value is McpTool {
  const tool = value as Partial<McpTool> | null;
  return isText(tool?.name) && isText(tool.description) && tool.schema?.["type"] === "object";
}
