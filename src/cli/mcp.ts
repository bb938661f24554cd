import { readFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { callTool } from "../adapters/agents/tool-line.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { version } from "./help.ts";

const toolsFile = z.object({
  socket: z.string(),
  token: z.string(),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      schema: z.looseObject({ type: z.literal("object") }),
    }),
  ),
});

/** `until-green mcp`: offers the tools for loops to the agent that started it, and passes its calls on to the run. */
export async function mcpCommand(file: string): Promise<ExitCode> {
  const { socket, token, tools } = readTools(file);
  const server = new Server({ name: "until-green", version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, schema }) => ({
      name,
      description,
      inputSchema: schema as never,
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { text, isError } = await callTool({ socket, token, name: params.name, args: params.arguments });
    return { content: [{ type: "text", text }], isError };
  });
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once("end", resolve);
  });
  await server.connect(new StdioServerTransport());
  await closed;
  return exit.ok;
}

function readTools(file: string): z.infer<typeof toolsFile> {
  try {
    return toolsFile.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? "it is damaged";
    throw new UsageError(
      `--tools ${file}: no tools of a running agent (${why}); agents start this by themselves`,
    );
  }
}
