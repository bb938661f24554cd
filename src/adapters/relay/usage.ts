import type { Usage } from "../../ports/agent.ts";

/**
 * What one body, or one event of a stream, says was used up to then; `undefined` if it says nothing of that. The fields
 * tell the wires apart, so that an endpoint that speaks two of them is counted all the same.
 */
export function usageIn(value: unknown): Partial<Usage> | undefined {
  const body = asRecord(
    Array.isArray(value) ? value.findLast((one) => asRecord(one)?.["usageMetadata"]) : value,
  );
  if (body === undefined) return undefined;
  const google = asRecord(body["usageMetadata"]);
  if (google !== undefined) return ofGemini(google);
  // Anthropic's streams begin with a `message`, OpenAI's responses end with a `response`.
  const inner = asRecord(body["message"]) ?? asRecord(body["response"]);
  const usage = asRecord(body["usage"]) ?? asRecord(inner?.["usage"]);
  if (usage === undefined) return undefined;
  return "prompt_tokens" in usage || "completion_tokens" in usage ? ofChat(usage) : ofTokens(usage);
}

function ofGemini(usage: Fields): Partial<Usage> {
  return {
    input_tokens: sum(usage, ["promptTokenCount", "toolUsePromptTokenCount"]),
    output_tokens: sum(usage, ["candidatesTokenCount", "thoughtsTokenCount"]),
  };
}

function ofChat(usage: Fields): Partial<Usage> {
  return {
    input_tokens: sum(usage, ["prompt_tokens"]),
    output_tokens: sum(usage, ["completion_tokens"]),
    // OpenRouter says what it took.
    ...(typeof usage["cost"] === "number" ? { cost_usd: sum(usage, ["cost"]) } : {}),
  };
}

/** Anthropic counts cached input apart, OpenAI's responses within. */
function ofTokens(usage: Fields): Partial<Usage> {
  const input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
  return {
    ...(input.some((name) => typeof usage[name] === "number") ? { input_tokens: sum(usage, input) } : {}),
    ...("output_tokens" in usage ? { output_tokens: sum(usage, ["output_tokens"]) } : {}),
  };
}

type Fields = Readonly<Record<string, unknown>>;

const sum = (fields: Fields, names: readonly string[]): number =>
  names.reduce((total, name) => {
    const value = fields[name];
    return typeof value === "number" && Number.isFinite(value) && value > 0 ? total + value : total;
  }, 0);

const asRecord = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null ? (value as Fields) : undefined;
