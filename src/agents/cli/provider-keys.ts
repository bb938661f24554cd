import type { KeySource } from "./cli-definition.ts";

/** The protocol of each provider, and its default endpoint. */
const endpoints = {
  anthropic: { wire: "anthropic", usual: "https://api.anthropic.com" },
  openai: { wire: "openai", usual: "https://api.openai.com/v1" },
  kimi: { wire: "openai", usual: "https://api.moonshot.ai/v1" },
} as const;

/** A provider's key in `NAME_API_KEY`, with its endpoint in `NAME_BASE_URL`. */
export function keyOf(provider: keyof typeof endpoints): KeySource {
  const { wire, usual } = endpoints[provider];
  const name = provider.toUpperCase();
  const header = wire === "anthropic" ? { name: "x-api-key" } : { name: "authorization", prefix: "Bearer " };
  return {
    variable: `${name}_API_KEY`,
    lease: { wire, upstream: { variable: `${name}_BASE_URL`, usual }, header },
  };
}

/** For a program that accepts `provider/model`: a model without a provider may belong to any. */
export const servesNamed =
  (provider: string) =>
  (model: string | undefined): boolean =>
    model === undefined || !model.includes("/") || model.startsWith(`${provider}/`);

/** The keys of providers for such a program. */
export const namedKeys = (...providers: readonly (keyof typeof endpoints)[]): readonly KeySource[] =>
  providers.map((provider) => ({ ...keyOf(provider), serves: servesNamed(provider) }));
