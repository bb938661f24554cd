import type { PrivateTempDir } from "../../processes/private-temp-dir.ts";
import type { Server } from "./cli-definition.ts";

/** The loop's tool server, as an entry of a program's `mcpServers`. */
export const ourServer = (server: Server | undefined, more: object = {}): Readonly<Record<string, object>> =>
  server === undefined ? {} : { "until-green": { ...mcpServerConfig(server), ...more } };

/** A file with MCP servers, in the format that most programs share. */
export const mcpFile = (scratch: PrivateTempDir, mcpServers: Readonly<Record<string, unknown>>): string =>
  scratch.write("mcp.json", JSON.stringify({ mcpServers }));

/** The MCP configuration of the loop's tool server, in the format that most programs share. */
export const mcpServerConfig = ({ url, key }: Server) => ({
  url,
  headers: { Authorization: `Bearer ${key}` },
});
