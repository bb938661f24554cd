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
