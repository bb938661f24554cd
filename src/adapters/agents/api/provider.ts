import { AgentError } from "../../../ports/agent.ts";
import type { Environment } from "../../environment.ts";
import type { LoanRequest } from "../../relay/loan.ts";
import { isLoopback } from "../../relay/upstream.ts";

/** Who serves a model, and how it is reached there. */
export interface Provider {
  readonly name: string;
  readonly wire: "anthropic" | "openai";
  /** Variables with its key, and the header that carries it. */
  readonly keys: readonly { readonly variable: string; readonly header: string; readonly prefix?: string }[];
  readonly base: { readonly variable: string; readonly usual: string };
  /** Taken where nobody names a model. */
  readonly model: string | undefined;
}

const bearer = { header: "authorization", prefix: "Bearer " } as const;

/** Every provider the agent `api` knows by name; any other with such an interface is reached by its base URL. */
export const providers: readonly Provider[] = [
  {
    name: "anthropic",
    wire: "anthropic",
    keys: [
      { variable: "ANTHROPIC_API_KEY", header: "x-api-key" },
      { variable: "ANTHROPIC_AUTH_TOKEN", ...bearer },
    ],
    base: { variable: "ANTHROPIC_BASE_URL", usual: "https://api.anthropic.com" },
    model: "claude-sonnet-4-5",
  },
  {
    name: "openai",
    wire: "openai",
    keys: [{ variable: "OPENAI_API_KEY", ...bearer }],
    base: { variable: "OPENAI_BASE_URL", usual: "https://api.openai.com/v1" },
    model: "gpt-5.5",
  },
  {
    name: "gemini",
    wire: "openai",
    keys: [
      { variable: "GEMINI_API_KEY", ...bearer },
      { variable: "GOOGLE_API_KEY", ...bearer },
    ],
    base: {
      variable: "GEMINI_OPENAI_BASE_URL",
      usual: "https://generativelanguage.googleapis.com/v1beta/openai",
    },
    model: "gemini-2.5-flash",
  },
  {
    name: "openrouter",
    wire: "openai",
    keys: [{ variable: "OPENROUTER_API_KEY", ...bearer }],
    base: { variable: "OPENROUTER_BASE_URL", usual: "https://openrouter.ai/api/v1" },
    model: undefined,
  },
];

/** A model and the way to it. */
export interface Route {
  readonly provider: Provider;
  readonly model: string;
  readonly upstream: string;
  readonly key: LoanRequest["key"];
}

interface Wish {
  /** What stands after `api:`, like `openai/gpt-5.5`; may be empty. */
  readonly named: string;
  /** The model the workflow or the user asks for, with or without its provider in front. */
  readonly model: string | undefined;
  readonly environment: Environment;
}

/** Finds the model that is meant and its key; throws an `AgentError` that says which secret is missing. */
export function findRoute({ named, model, environment }: Wish): Route {
  const wished = split(named);
  const asked = split(model ?? "");
  const usable = providers.filter((provider) => keyOf(provider, environment) !== undefined);
  const provider =
    asked.provider ?? wished.provider ?? providerOf(asked.model ?? wished.model, usable) ?? usable[0];
  if (provider === undefined) throw new AgentError("auth", noKey(providers));
  const key = keyOf(provider, environment);
  if (key === undefined) throw new AgentError("auth", noKey([provider]));
  const chosen = asked.model ?? wished.model ?? provider.model;
  if (chosen === undefined)
    throw new AgentError(
      "missing",
      `the agent api needs a model of ${provider.name}: api:${provider.name}/MODEL`,
    );
  return { provider, model: chosen, upstream: baseOf(provider, environment), key };
}

/** `openai/gpt-5.5` is a provider and a model; `gpt-5.5`, and `meta/llama` with an unknown provider, are models. */
function split(text: string): { readonly provider?: Provider; readonly model?: string } {
  const [head = "", ...rest] = text.trim().split("/");
  const provider = providers.find(({ name }) => name === head);
  if (provider === undefined) return text.trim() === "" ? {} : { model: text.trim() };
  return rest.join("/") === "" ? { provider } : { provider, model: rest.join("/") };
}

/** By a model's own name, where its maker is among those with a key. */
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

const baseOf = ({ base }: Provider, environment: Environment) =>
  environment[base.variable]?.trim() || base.usual;

function keyOf(provider: Provider, environment: Environment): LoanRequest["key"] | undefined {
  for (const { variable, header, prefix = "" } of provider.keys) {
    const value = environment[variable]?.trim();
    if (value) return { header, value: `${prefix}${value}`, secret: variable };
  }
  const needsNone = provider.name === "openai" && hasLocalModel(environment);
  return needsNone ? { header: "authorization", value: "Bearer none" } : undefined;
}

/** Whether the base URL names a model on this machine, which mostly asks for no key. */
export function hasLocalModel(environment: Environment): boolean {
  const base = environment["OPENAI_BASE_URL"]?.trim() ?? "";
  return URL.canParse(base) && isLoopback(new URL(base));
}

function noKey(of: readonly Provider[]): string {
  const names = of.flatMap(({ keys }) => keys.map(({ variable }) => variable));
  const which = names.length === 1 ? names[0] : `one of ${names.join(", ")}`;
  return `the agent api has no key: set the secret ${which}`;
}
