/**
 * An extension that pi loads in its own process, as TypeScript: it registers the model and the loop's tools described
 * by the file beside it. pi's own MCP client is newer (1.0), and reads only fixed files.
 */
export const extensionSource = `import { readFileSync } from "node:fs";
export default function (pi: any) {
  const given = new URL("./given.json", import.meta.url);
  const { provider, server } = JSON.parse(readFileSync(given, "utf8"));
  if (provider) pi.registerProvider("until-green", provider);
  for (const { name, description, schema: parameters } of server?.tools ?? []) {
    const execute = async (_: string, input: object) => {
      const params = { name, arguments: input };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const headers = { authorization: "Bearer " + server.key, "content-type": "application/json" };
      const response = await fetch(server.url, { method: "POST", headers, body });
      const { result, error } = (await response.json()) as any;
      if (error || result.isError) throw new Error(error?.message ?? result.content[0].text);
      return { content: result.content, details: {} };
    };
    pi.registerTool({ name, label: name, description, parameters, execute });
  }
}
`;
