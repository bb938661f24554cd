import type { Json } from "./json.ts";

/**
 * How a value violates a JSON schema, as text. Checks types, required and additional fields, `enum`, `const` and
 * bounds, also in nested values. Other keywords are ignored, including `pattern`, since a hostile text could make it
 * hang.
 */
export function complaintOf(value: Json, schema: Json, where = "the result"): string | undefined {
  if (schema === false) return `${where} is not allowed`;
  return isRecord(schema) ? complaint({ value, schema, where }) : undefined;
}

type Schema = { readonly [key: string]: Json };

interface Case {
  readonly value: Json;
  readonly schema: Schema;
  readonly where: string;
}

function complaint(it: Case): string | undefined {
  return ofType(it) ?? ofChoice(it) ?? ofBounds(it) ?? ofFields(it) ?? ofItems(it) ?? ofAlternatives(it);
}

function ofType({ value, schema: { type }, where }: Case): string | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((it) => typeof it === "string");
  if (types.length === 0 || types.some((one) => isOf(one, value))) return undefined;
  return `${where} is not of type ${types.join(" or ")}`;
}

function ofChoice({ value, schema, where }: Case): string | undefined {
  const isOne = (choice: Json) => isSame(choice, value);
  if (Array.isArray(schema["enum"]) && !schema["enum"].some(isOne)) {
    const choices = schema["enum"].slice(0, 20).map((choice) => JSON.stringify(choice));
    return `${where} is none of ${choices.join(", ")}`;
  }
  const only = schema["const"];
  return only === undefined || isOne(only) ? undefined : `${where} is not ${JSON.stringify(only)}`;
}

/** The keywords for minimum and maximum size of each type. */
function ofBounds({ value, schema, where }: Case): string | undefined {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (typeof value === "number") {
    if (typeof above === "number" && value <= above) return `${where} is not over ${above}`;
    if (typeof below === "number" && value >= below) return `${where} is not under ${below}`;
  }
  const [size, least, most] = sizeOf(value, schema);
  if (typeof least === "number" && size < least) return `${where} is less than ${least}`;
  return typeof most === "number" && size > most ? `${where} is more than ${most}` : undefined;
}

function sizeOf(
  value: Json,
  schema: Schema,
): readonly [size: number, least?: Json | undefined, most?: Json | undefined] {
  if (typeof value === "number") return [value, schema["minimum"], schema["maximum"]];
  if (typeof value === "string") return [[...value].length, schema["minLength"], schema["maxLength"]];
  if (Array.isArray(value)) return [value.length, schema["minItems"], schema["maxItems"]];
  if (!isRecord(value)) return [0];
  return [Object.keys(value).length, schema["minProperties"], schema["maxProperties"]];
}

function ofFields({ value, schema, where }: Case): string | undefined {
  if (!isRecord(value)) return undefined;
  const { required, additionalProperties } = schema;
  const missing = (Array.isArray(required) ? required : []).find((key) => !Object.hasOwn(value, String(key)));
  if (missing !== undefined) return `${where} has no field ${String(missing)}`;
  const declared = isRecord(schema["properties"]) ? schema["properties"] : {};
  const others = schema["patternProperties"] === undefined ? additionalProperties : undefined;
  return firstOf(Object.entries(value), ([key, member]) => {
    const field = Object.hasOwn(declared, key) ? declared[key] : others;
    return field === undefined ? undefined : complaintOf(member, field, `${where}.${key}`);
  });
}

function ofItems({ value, schema: { items }, where }: Case): string | undefined {
  if (!Array.isArray(value) || !isRecord(items)) return undefined;
  return firstOf([...value.entries()], ([index, item]) => complaintOf(item, items, `${where}[${index}]`));
}

function ofAlternatives({ value, schema, where }: Case): string | undefined {
  const { allOf, anyOf, oneOf } = schema;
  const violated = (one: Json) => complaintOf(value, one, where);
  if (Array.isArray(allOf)) {
    const fault = firstOf(allOf, violated);
    if (fault !== undefined) return fault;
  }
  for (const choices of [anyOf, oneOf]) {
    if (!Array.isArray(choices)) continue;
    if (choices.every((one) => violated(one) !== undefined)) return firstOf(choices, violated);
  }
  return undefined;
}

function firstOf<T>(list: readonly T[], violated: (one: T) => string | undefined): string | undefined {
  for (const one of list) {
    const fault = violated(one);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isSame(one: Json, other: Json): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index] ?? null));
  }
  if (!isRecord(one) || !isRecord(other)) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key] ?? null, other[key] ?? null))
  );
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
