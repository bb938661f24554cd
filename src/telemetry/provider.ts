/** Provider names in OpenTelemetry's conventions, by patterns for agents and models. */
const providers: readonly (readonly [RegExp, string])[] = [
  [/^(anthropic|claude)\b/i, "anthropic"],
  [/^(openai|codex|gpt|o\d)\b/i, "openai"],
  [/^(google|gemini)\b/i, "gcp.gemini"],
  [/^vertex/i, "gcp.vertex_ai"],
  [/^(amazon-)?bedrock\b/i, "aws.bedrock"],
  [/^azure/i, "azure.ai.openai"],
  [/^deepseek\b/i, "deepseek"],
  [/^groq\b/i, "groq"],
  [/^mistral/i, "mistral_ai"],
  [/^(xai|grok)\b/i, "x_ai"],
];

/**
 * The provider of a call, by its model (`anthropic/claude-sonnet-5-5`, `gpt-6`), else by its agent; if neither is
 * known, the agent's own name, because the conventions require one.
 */
export function providerOf(agent: string, model: string | undefined): string {
  const named = (text: string) => providers.find(([pattern]) => pattern.test(text))?.[1];
  return (model === undefined ? undefined : named(model)) ?? named(agent) ?? agent;
}
