import type { Usage } from "../ports/agent.ts";

/**
 * The usage that one body or stream event reports; `undefined` if it reports none. The fields identify the protocol, so
 * endpoints that mix protocols are counted too.
 */
export function usageIn(value: unknown): Partial<Usage> | undefined {
  const body = asRecord(
    Array.isArray(value) ? value.findLast((one) => asRecord(one)?.["usageMetadata"]) : value,
  );
  if (body === undefined) return undefined;
  const google = asRecord(body["usageMetadata"]);
  if (google !== undefined) return ofGemini(google);
  // Anthropic's streams start with a `message`; OpenAI's responses end with a `response`.
  const inner = asRecord(body["message"]) ?? asRecord(body["response"]);
  const usage = asRecord(body["usage"]) ?? asRecord(inner?.["usage"]);
  if (usage === undefined) return undefined;
  return "prompt_tokens" in usage || "completion_tokens" in usage ? ofChat(usage) : ofTokens(usage);
}

function ofGemini(usage: Fields): Partial<Usage> {
  return {
    input_tokens: sum(usage, ["promptTokenCount", "toolUsePromptTokenCount"]),
    output_tokens: sum(usage, ["candidatesTokenCount", "thoughtsTokenCount"]),
    ...cached(usage, "cachedContentTokenCount"),
  };
}

function ofChat(usage: Fields): Partial<Usage> {
  return {
    input_tokens: sum(usage, ["prompt_tokens"]),
    output_tokens: sum(usage, ["completion_tokens"]),
    ...cached(asRecord(usage["prompt_tokens_details"]) ?? {}, "cached_tokens"),
    // OpenRouter reports the price.
    ...(typeof usage["cost"] === "number" ? { cost_usd: sum(usage, ["cost"]) } : {}),
  };
}

/** Anthropic counts cached input separately; OpenAI's responses include it. */
function ofTokens(usage: Fields): Partial<Usage> {
  const input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
  const written = sum(usage, ["cache_creation_input_tokens"]);
  return {
    ...(input.some((name) => typeof usage[name] === "number") ? { input_tokens: sum(usage, input) } : {}),
    ...("output_tokens" in usage ? { output_tokens: sum(usage, ["output_tokens"]) } : {}),
    ...cached(asRecord(usage["input_tokens_details"]) ?? {}, "cached_tokens"),
    ...cached(usage, "cache_read_input_tokens"),
    ...(written > 0 ? { cache_write: written } : {}),
  };
}

const cached = (usage: Fields, name: string): Partial<Usage> => {
  const cache_read = sum(usage, [name]);
  return cache_read > 0 ? { cache_read } : {};
};

type Fields = Readonly<Record<string, unknown>>;

const sum = (fields: Fields, names: readonly string[]): number =>
  names.reduce((total, name) => {
    const value = fields[name];
    return typeof value === "number" && Number.isFinite(value) && value > 0 ? total + value : total;
  }, 0);

const asRecord = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null ? (value as Fields) : undefined;

/** The model that a body or stream event names. */
export function modelIn(value: unknown): string | undefined {
  const body = asRecord(value);
  const inner = asRecord(body?.["message"]) ?? asRecord(body?.["response"]);
  const model = body?.["model"] ?? body?.["modelVersion"] ?? inner?.["model"];
  return typeof model === "string" ? model : undefined;
}

/** True if an answer or stream event was cut at its length limit. */
export const isCutShort = (text: string): boolean =>
  /"(?:stop_reason|finish_reason|finishReason|reason)"\s*:\s*"(?:max_tokens|length|MAX_TOKENS|max_output_tokens)"/.test(
    text,
  );

/** True if an answer or stream event says that the model refused, or that a filter removed its answer. */
export const isRefusal = (text: string): boolean =>
  /"(?:stop_reason|finish_reason|finishReason)"\s*:\s*"(?:refusal|content_filter|SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION)"|"blockReason"\s*:\s*"|"incomplete_details"\s*:\s*\{\s*"reason"\s*:\s*"content_filter"/.test(
    text,
  );
