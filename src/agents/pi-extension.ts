import type { Environment } from "../processes/environment.ts";
import type { CliInvocation } from "./cli/cli-definition.ts";
import { mcpServerConfig } from "./cli/mcp-config.ts";
import { defaultModel, sizesOf } from "./models.ts";

/** The model behind the key proxy, as arguments of pi's `registerProvider`. */
export function providerOf({ request, endpoint, environment }: CliInvocation) {
  if (endpoint === undefined) return undefined;
  const isAnthropic = endpoint.variable === "ANTHROPIC_API_KEY";
  const id =
    request.model?.replace(/^(anthropic|openai)\//, "") ??
    defaultModel(isAnthropic ? "anthropic" : "openai") ??
    "";
  const { window, output } = sizesOf(id);
  const openai = environment["OPENAI_BASE_URL"] ? "openai-completions" : "openai-responses";
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = {
    id,
    name: id,
    reasoning: request.settings?.effort !== undefined,
    input: ["text", "image"],
    cost,
  };
  return {
    baseUrl: endpoint.baseUrl,
    apiKey: endpoint.key,
    api: isAnthropic ? "anthropic-messages" : openai,
    models: [{ ...model, contextWindow: window, maxTokens: output }] as const,
  };
}

/** What the extension is to register. */
export const extensionEnvironment = (turn: CliInvocation): Environment => ({
  [extensionVariable]: JSON.stringify({
    provider: providerOf(turn),
    server: turn.server && mcpServerConfig(turn.server),
  }),
});

const extensionVariable = "UNTIL_GREEN_PI_EXTENSION";

/** An extension for pi, in the TypeScript that pi loads: it registers our model, and the loop's tools by MCP. */
export const extensionSource = `export default async function (pi: any) {
  const { provider, server } = JSON.parse(process.env.${extensionVariable} ?? "{}");
  delete process.env.${extensionVariable};
  if (provider) pi.registerProvider("until-green", provider);
  if (!server) return;
  async function ask(method: string, params: object) {
    const headers = { ...server.headers, "content-type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(server.url, { method: "POST", headers, body });
    const { result, error } = (await response.json()) as any;
    if (error) throw new Error(error.message);
    return result;
  }
  for (const { name, description, inputSchema } of (await ask("tools/list", {})).tools)
    pi.registerTool({
      name,
      label: name,
      description,
      parameters: inputSchema,
      async execute(_: string, params: object) {
        const { content, isError } = await ask("tools/call", { name, arguments: params });
        if (isError) throw new Error(content[0].text);
        return { content, details: {} };
      },
    });
}
`;
