import { z } from "zod";
import { binding, type Expression, reference, type Text, text } from "../expressions/template.ts";
import { type Json, json } from "../ports/json.ts";

/** The items of a for-each. */
export type Items =
  | { readonly kind: "list"; readonly list: readonly Json[] }
  /** A JSON list, or else one item a line; with `values`, lines that all are JSON become values. */
  | { readonly kind: "text"; readonly text: Text; readonly values?: true }
  /** The same, in a file of the checkout that is read when the node starts. */
  | { readonly kind: "file"; readonly path: Text }
  | ({ readonly kind: "cel" } & Expression);

export const items: z.ZodType<Items> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("list"), list: z.array(json) }),
  z.strictObject({ kind: z.literal("text"), text, values: z.literal(true).exactOptional() }),
  z.strictObject({ kind: z.literal("file"), path: text }),
  z.strictObject({
    kind: z.literal("cel"),
    source: z.string(),
    variables: z.record(z.string(), reference),
    bind: z.record(z.string(), binding).exactOptional(),
  }),
]);
