import { type CelInput, type CelValue, isCelList, isCelMap, isCelUint } from "@bufbuild/cel";
import type { Json } from "../ports/json.ts";

/** Converts a JSON value to CEL: whole numbers become integers. */
export function toCel(value: Json): CelInput {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toCel);
  return new Map(Object.entries(value).map(([key, field]) => [key, toCel(field)]));
}

/** Converts a CEL value to JSON; throws if JSON cannot represent it. */
export function fromCel(value: CelValue): Json {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number" && !Number.isFinite(value))
    throw new Error(`the result is ${value}, not a number`);
  if (typeof value !== "object" || value === null) return value;
  if (isCelUint(value)) return Number(value.value);
  if (isCelList(value)) return Array.from(value, fromCel);
  if (isCelMap(value))
    return Object.fromEntries(Array.from(value, ([key, field]) => [keyOf(key), fromCel(field)]));
  throw new Error("the result is not a value of JSON: use string(…)");
}

function keyOf(key: unknown): string {
  return isCelUint(key) ? String(key.value) : String(key);
}
