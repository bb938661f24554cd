/** A server of MCP with one tool, which says what a variable holds. */
export const toolServer = `
import { createInterface } from "node:readline";
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "mine", version: "1" } },
  "tools/list": { tools: [{ name: "greet", description: "Greets.", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: process.env.SAYS }] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
});
`;
