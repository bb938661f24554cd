import type { Server } from "./cli-definition.ts";

/** The MCP configuration of the loop's tool server, in the form that most CLIs share. */
export const mcpServerConfig = ({ url, key }: Server) => ({
  url,
  headers: { Authorization: `Bearer ${key}` },
});
