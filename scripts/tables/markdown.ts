import { z } from "zod";

/** A Markdown table; cells are Markdown already, on one line each. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export const code = (text: string) => `\`${text}\``;

/** A bar would end the cell. */
const cell = (text: string) => text.replaceAll(/\s*\n\s*/g, " ").replaceAll(/(?<!\\)\|/g, "\\|");

/** The type of a key's value, according to its schema. */
export function valuesOf(field: z.ZodType | undefined): string {
  if (field === undefined) throw new Error("a described key is not in the schema");
  const shape = z.toJSONSchema(field, { unrepresentable: "any", io: "input" });
  if (shape.enum !== undefined) return shape.enum.map((value) => code(String(value))).join(" | ");
  if (shape.type === "integer") {
    const [least, most] = [shape.minimum ?? shape.exclusiveMinimum, shape.maximum ?? Number.MAX_SAFE_INTEGER];
    return most === Number.MAX_SAFE_INTEGER ? "whole number" : `${least} … ${most}`;
  }
  if (shape.type === "boolean") return "`true` | `false`";
  if (shape.type === "array") return "list";
  if (shape.type === "object") return "mapping";
  return "text";
}
