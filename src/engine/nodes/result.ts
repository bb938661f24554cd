import { asJson, isObject } from "../../expr/output.ts";
import type { AgentAnswer } from "../../ports/agent.ts";
import type { Json } from "../../ports/json.ts";
import { Unmet } from "../flow.ts";

/** An answer that keeps a schema, its result read from the text where it was not given apart; else throws `Unmet`. */
export function withResult(answer: AgentAnswer, schema: Json | undefined): AgentAnswer {
  if (!isObject(schema)) return answer;
  const result = answer.result ?? asJson(answer.text);
  const because = complaint(result, schema, "the result");
  if (because === undefined) return { ...answer, result };
  throw new Unmet("node-failed", `the agent gave no result as its schema asks: ${because}`);
}

type Schema = { readonly [key: string]: Json };

/** What of a schema a value does not keep: its type, required fields, and the same inside of it. */
function complaint(value: Json, schema: Schema, where: string): string | undefined {
  const { type, required, properties, items } = schema;
  if (typeof type === "string" && !isOf(type, value)) return `${where} is not of type ${type}`;
  if (Array.isArray(value) && isObject(items)) {
    return firstOf(value.map((item, index) => [item, items, `${where}[${index}]`]));
  }
  if (!isObject(value)) return undefined;
  const missing = (Array.isArray(required) ? required : []).find((key) => !Object.hasOwn(value, String(key)));
  if (missing !== undefined) return `${where} has no field ${String(missing)}`;
  const inner = Object.entries(isObject(properties) ? properties : {});
  return firstOf(
    inner.flatMap(([key, field]) => {
      const found = value[key];
      return found === undefined || !isObject(field) ? [] : [[found, field, `${where}.${key}`] as const];
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

function isOf(type: string, value: Json): boolean {
  switch (type) {
    case "object":
      return isObject(value);
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
