import type { KeyLeaseRequest } from "../../key-proxy/lease.ts";
import { isLoopback } from "../../key-proxy/upstream.ts";
import { AgentError } from "../../ports/agent.ts";
import type { Environment } from "../../processes/environment.ts";
import { defaultModel } from "../models.ts";

/** A model API: Anthropic's Messages, OpenAI's Responses or Chat Completions, or Gemini's. */
type ModelProtocol = "messages" | "responses" | "chat" | "gemini";

/** A provider of models, and how it is reached. */
export interface Provider {
  readonly name: string;
  readonly wire: "anthropic" | "openai" | "gemini";
  readonly protocol: ModelProtocol;
  /** Variables for its key, and the header that carries it. */
  readonly keys: readonly { readonly variable: string; readonly header: string; readonly prefix?: string }[];
  readonly base: { readonly variable: string; readonly usual: string };
}

const bearer = { header: "authorization", prefix: "Bearer " } as const;

/** Every provider the agent `api` knows by name; any compatible one is reached by its base URL. */
export const providers: readonly Provider[] = [
  {
    name: "anthropic",
    wire: "anthropic",
    protocol: "messages",
    keys: [
      { variable: "ANTHROPIC_API_KEY", header: "x-api-key" },
      { variable: "ANTHROPIC_AUTH_TOKEN", ...bearer },
    ],
    base: { variable: "ANTHROPIC_BASE_URL", usual: "https://api.anthropic.com" },
  },
  {
    name: "openai",
    wire: "openai",
    protocol: "responses",
    keys: [{ variable: "OPENAI_API_KEY", ...bearer }],
    base: { variable: "OPENAI_BASE_URL", usual: "https://api.openai.com/v1" },
  },
  {
    name: "gemini",
    wire: "gemini",
    protocol: "gemini",
    keys: [
      { variable: "GEMINI_API_KEY", header: "x-goog-api-key" },
      { variable: "GOOGLE_API_KEY", header: "x-goog-api-key" },
    ],
    base: { variable: "GOOGLE_GEMINI_BASE_URL", usual: "https://generativelanguage.googleapis.com" },
  },
  {
    name: "openrouter",
    wire: "openai",
    protocol: "chat",
    keys: [{ variable: "OPENROUTER_API_KEY", ...bearer }],
    base: { variable: "OPENROUTER_BASE_URL", usual: "https://openrouter.ai/api/v1" },
  },
];

/** A model and its endpoint. */
export interface ModelRoute {
  readonly provider: Provider;
  readonly model: string;
  readonly protocol: ModelProtocol;
  readonly upstream: string;
  readonly key: KeyLeaseRequest["key"];
}

interface RouteRequest {
  /** The part after `api:`, like `openai/gpt-6-sol`; may be empty. */
  readonly named: string;
  /** The requested model, with or without its provider. */
  readonly model: string | undefined;
  readonly environment: Environment;
}

/** Finds the requested model and its key; throws an `AgentError` that names the missing secret. */
export function findRoute({ named, model, environment }: RouteRequest): ModelRoute {
  const fromName = split(named);
  const selection = split(model ?? "");
  const usable = providers.filter((provider) => keyOf(provider, environment) !== undefined);
  const provider =
    selection.provider ??
    fromName.provider ??
    providerOf(selection.model ?? fromName.model, usable) ??
    usable[0];
  if (provider === undefined) throw new AgentError("auth", noKey(providers), { isFixable: true });
  const key = keyOf(provider, environment);
  if (key === undefined) throw new AgentError("auth", noKey([provider]), { isFixable: true });
  const chosen = selection.model ?? fromName.model ?? defaultModel(provider.name);
  if (chosen === undefined)
    throw new AgentError(
      "missing",
      `the agent api needs a model of ${provider.name}: api:${provider.name}/MODEL`,
    );
  const protocol = protocolOf(provider, environment);
  return { provider, model: chosen, protocol, upstream: baseOf(provider, environment), key };
}

/**
 * `openai/gpt-6-sol` is a provider and a model; `gpt-6-sol`, and `meta/llama` with an unknown provider, are models.
 */
function split(text: string): { readonly provider?: Provider; readonly model?: string } {
  const [head = "", ...rest] = text.trim().split("/");
  const provider = providers.find(({ name }) => name === head);
  if (provider === undefined) return text.trim() === "" ? {} : { model: text.trim() };
  return rest.join("/") === "" ? { provider } : { provider, model: rest.join("/") };
}

/** The provider of a model, by the model's own name, if that provider has a key. */
function providerOf(model: string | undefined, usable: readonly Provider[]): Provider | undefined {
  const maker = makers.find(([pattern]) => pattern.test(model ?? ""))?.[1];
  return usable.find(({ name }) => name === maker);
}

const makers: readonly (readonly [RegExp, string])[] = [
  [/^claude\b/i, "anthropic"],
  [/^(gpt|o\d|codex)\b/i, "openai"],
  [/^gemini\b/i, "gemini"],
  [/\//, "openrouter"],
];

/** A custom endpoint usually supports chat completions only, unless the user says otherwise. */
function protocolOf(provider: Provider, environment: Environment): ModelProtocol {
  if (provider.protocol !== "responses") return provider.protocol;
  const text = environment[openaiApiVariable]?.trim();
  if (text === "responses" || text === "chat") return text;
  return baseOf(provider, environment) === provider.base.usual ? "responses" : "chat";
}

/** The variable that selects the OpenAI API of an endpoint: `responses` or `chat`. */
const openaiApiVariable = "UNTIL_GREEN_OPENAI_API";

const baseOf = ({ base }: Provider, environment: Environment) =>
  environment[base.variable]?.trim() || base.usual;

function keyOf(provider: Provider, environment: Environment): KeyLeaseRequest["key"] | undefined {
  for (const { variable, header, prefix = "" } of provider.keys) {
    const value = environment[variable]?.trim();
    if (value) return { header, value: `${prefix}${value}`, secret: variable };
  }
  const needsNone = provider.name === "openai" && hasLocalModel(environment);
  return needsNone ? { header: "authorization", value: "Bearer none" } : undefined;
}

/** True if the base URL names a model on this machine, which usually needs no key. */
export function hasLocalModel(environment: Environment): boolean {
  const base = environment["OPENAI_BASE_URL"]?.trim() ?? "";
  return URL.canParse(base) && isLoopback(new URL(base));
}

function noKey(of: readonly Provider[]): string {
  const names = of.flatMap(({ keys }) => keys.map(({ variable }) => variable));
  return `the agent api has no key: set the variable ${names.join(" or ")}, in a job from a secret`;
}
