import type { Environment } from "../processes/environment.ts";
import type { CliInvocation } from "./cli/cli-definition.ts";
import { leasedModel } from "./cli/leased-model.ts";
import { mcpServerConfig } from "./cli/mcp-config.ts";

/** The model behind the key proxy, as arguments of pi's `registerProvider`. */
export function providerOf(turn: CliInvocation) {
  const leased = leasedModel(turn);
  if (leased === undefined) return undefined;
  const { id, provider, baseUrl, key: apiKey, window: contextWindow, output: maxTokens } = leased;
  const openai = turn.environment["OPENAI_BASE_URL"] ? "openai-completions" : "openai-responses";
  const api = provider === "anthropic" ? "anthropic-messages" : openai;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const reasoning = turn.request.settings?.effort !== undefined;
  const model = { id, name: id, reasoning, input: ["text", "image"], cost, contextWindow, maxTokens };
  return { baseUrl, apiKey, api, models: [model] as const };
}

/** The tools and the model that the extension registers. */
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
