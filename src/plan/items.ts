import { z } from "zod";
import { expression, text } from "../expressions/template.ts";
import type { Infer } from "../ports/infer.ts";
import { json } from "../ports/json.ts";

/** The items of a for-each. */
export const items = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("list"), list: z.array(json) }),
  /** A JSON list, or else one item per line; with `values`, lines that are all JSON become values. */
  z.strictObject({ kind: z.literal("text"), text, values: z.literal(true).exactOptional() }),
  /** The same from a file of the checkout, read when the node starts. */
  z.strictObject({ kind: z.literal("file"), path: text }),
  expression.extend({ kind: z.literal("cel") }),
]);

export type Items = Infer<typeof items>;
