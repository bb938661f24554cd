import type { Usage } from "../../ports/agent.ts";
import type { JsonObject } from "./json-lines.ts";

/** A field of an event that is an object. */
export function objectIn(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = object?.[name];
  return typeof value === "object" && value !== null ? (value as JsonObject) : undefined;
}

/** A field of an event that is text. */
export function textIn(object: JsonObject | undefined, name: string): string | undefined {
  const value = object?.[name];
  return typeof value === "string" ? value : undefined;
}

/** A field of an event that holds JSON as text; the text itself if it is not JSON. */
export function jsonIn(object: JsonObject | undefined, name: string): unknown {
  const text = textIn(object, name);
  try {
    return JSON.parse(text ?? "");
  } catch {
    return text;
  }
}

/** How an API names the usage of a request. Most report cached input separately. */
export interface UsageNames {
  readonly input: string;
  readonly output: string;
  readonly cacheRead: string;
  readonly cacheWrite: string;
}

/** The usage of a request, from a field of an event. */
export function usageIn(counts: JsonObject | undefined, names: UsageNames): Usage {
  const count = (name: keyof UsageNames) => Number(counts?.[names[name]] ?? 0);
  const [cache_read, cache_write] = [count("cacheRead"), count("cacheWrite")];
  const input_tokens = count("input") + cache_read + cache_write;
  return { input_tokens, output_tokens: count("output"), cost_usd: 0, cache_read, cache_write };
}
