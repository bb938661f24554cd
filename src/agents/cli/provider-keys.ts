import type { KeySource } from "./cli-definition.ts";

interface ProviderEndpoint {
  readonly wire: "anthropic" | "openai";
  /** The endpoint if no setting names another. */
  readonly usual: string;
}

const endpoints: Readonly<Record<"anthropic" | "openai", ProviderEndpoint>> = {
  anthropic: { wire: "anthropic", usual: "https://api.anthropic.com" },
  openai: { wire: "openai", usual: "https://api.openai.com/v1" },
};

/** A provider's key, in `NAME_API_KEY`, for its endpoint, which `NAME_BASE_URL` changes. */
export const keyOf = (provider: keyof typeof endpoints): KeySource => keyAt(provider, endpoints[provider]);

/** The same of a provider with a protocol of another. */
export function keyAt(provider: string, { wire, usual }: ProviderEndpoint): KeySource {
  const name = provider.toUpperCase();
  const header = wire === "anthropic" ? { name: "x-api-key" } : { name: "authorization", prefix: "Bearer " };
  return {
    variable: `${name}_API_KEY`,
    lease: { wire, upstream: { variable: `${name}_BASE_URL`, usual }, header },
  };
}

/** For a program that takes `provider/model`: a model without a provider may be any provider's. */
export const servesNamed =
  (provider: string) =>
  (model: string | undefined): boolean =>
    model === undefined || !model.includes("/") || model.startsWith(`${provider}/`);
