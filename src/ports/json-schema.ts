import type { Json } from "./json.ts";

/** How a value violates a schema, as text: its type, required fields, and the same for nested values. */
export function complaintOf(value: Json, schema: Json, where = "the result"): string | undefined {
  return isRecord(schema) ? complaint(value, schema, where) : undefined;
}

type Schema = { readonly [key: string]: Json };

function complaint(value: Json, schema: Schema, where: string): string | undefined {
  const { type, required, properties, items } = schema;
  if (typeof type === "string" && !isOf(type, value)) return `${where} is not of type ${type}`;
  if (Array.isArray(value) && isRecord(items)) {
    return firstOf(value.map((item, index) => [item, items, `${where}[${index}]`]));
  }
  if (!isRecord(value)) return undefined;
  const missing = (Array.isArray(required) ? required : []).find((key) => !Object.hasOwn(value, String(key)));
  if (missing !== undefined) return `${where} has no field ${String(missing)}`;
  const inner = Object.entries(isRecord(properties) ? properties : {});
  return firstOf(
    inner.flatMap(([key, field]) => {
      const found = value[key];
      return found === undefined || !isRecord(field) ? [] : [[found, field, `${where}.${key}`] as const];
    }),
  );
}

function firstOf(checks: readonly (readonly [Json, Schema, string])[]): string | undefined {
  for (const [value, schema, where] of checks) {
    const because = complaint(value, schema, where);
    if (because !== undefined) return because;
  }
  return undefined;
}

const isRecord = (value: Json | undefined): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isOf(type: string, value: Json): boolean {
  switch (type) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isSafeInteger(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return true;
  }
}
