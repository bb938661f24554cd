import type { Json } from "../../ports/json.ts";
import { complaintOf } from "../../ports/json-schema.ts";
import type { ToolArguments, WorkTool } from "./work-tool.ts";

/**
 * The arguments of a call as its tool expects them. Corrects what models often get wrong: numbers, booleans and lists
 * as text, and `null` for omitted arguments. Throws a sentence for the model for other deviations, so that no call
 * runs with half of its arguments.
 */
export function argumentsFor(
  { properties, required }: Pick<WorkTool, "properties" | "required">,
  value: unknown,
): ToolArguments {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`the arguments must be an object with ${required.join(", ") || "the tool's fields"}`);
  const fields = Object.entries(value).filter(([, value]) => value !== null && value !== undefined);
  const input = Object.fromEntries(
    fields.map(([name, value]) => [name, repaired(value, properties[name]?.type)]),
  );
  const schema = { type: "object", properties, required } as unknown as Json;
  const complaint = complaintOf(input, schema, "call");
  if (complaint !== undefined) throw new Error(`${complaint}; nothing was done`);
  return input;
}

function repaired(value: Json, type: string | undefined): Json {
  if (type === "array" && typeof value === "object" && !Array.isArray(value)) return [value];
  if (type === undefined || type === "string" || typeof value !== "string") return value;
  try {
    const read = JSON.parse(value) as Json;
    return read === null || typeof read === "string" ? value : repaired(read, type);
  } catch {
    return value;
  }
}
