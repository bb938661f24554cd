import type { Json } from "../../ports/json.ts";

/**
 * True if OpenAI's strict mode supports a schema: every object lists all its fields as required and allows no others.
 */
export function isStrict(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (typeof schema !== "object" || schema === null) return true;
  const { type, properties, required, additionalProperties } = schema as { readonly [key: string]: Json };
  if (type === "object") {
    const names = Object.keys(typeof properties === "object" ? (properties ?? {}) : {});
    const listed = new Set(Array.isArray(required) ? required : []);
    if (additionalProperties !== false || !names.every((name) => listed.has(name))) return false;
  }
  return Object.values(schema).every(isStrict);
}
