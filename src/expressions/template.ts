import { z } from "zod";

/**
 * A value named in a text: filled in once, when the text is used, and never scanned for further names. `otherwise` is
 * used if there is no value: an input without a value, a node that never ran.
 */
export type Reference =
  /** `$USER_MESSAGE`, `$LOOP_ITERATION`, an accumulated name …: what the scope calls by that name. */
  | { readonly ref: "value"; readonly name: string }
  /** `$INPUTS.name` */
  | { readonly ref: "input"; readonly name: string; readonly otherwise?: string | undefined }
  /** `$id.output` or `$id.output.field` */
  | {
      readonly ref: "output";
      readonly node: string;
      readonly field?: string | undefined;
      readonly otherwise?: string | undefined;
      /** The node's `output_format` has no such field: reading it fails. */
      readonly undeclared?: true;
    }
  /** `$LOOP_PREV.id.output` or `….field`: from the previous iteration. */
  | { readonly ref: "previous"; readonly node: string; readonly field?: string | undefined }
  /** `$LOOP_ITEM` or `$LOOP_ITEM.field` */
  | { readonly ref: "item"; readonly field?: string | undefined }
  /** In a shared scope: a node's last output or a value of the memory, and the path to a part of it. */
  | {
      readonly ref: "shared";
      readonly of: "outputs" | "memory";
      readonly name: string;
      readonly way: readonly string[];
    };

/** A text with its references as data: literal parts and references in order. */
export type Text = readonly (string | Reference)[];

/**
 * Bash source in which every reference has become a variable that the author's quotes cannot change, with the
 * reference each variable stands for.
 */
export interface ShellText {
  readonly script: string;
  readonly variables: Readonly<Record<string, Reference>>;
}

/** A CEL expression whose references are variables of the source. */
export interface Expression {
  readonly source: string;
  readonly variables: Readonly<Record<string, Reference>>;
  /** The meaning of its plain names, if it is not the scope's. */
  readonly bind?: Readonly<Record<string, Binding>>;
}

/** The meaning of a plain name in an expression. */
export type Binding =
  /** The number of the iteration, counted from 0 or 1. */
  | { readonly of: "iteration"; readonly from: 0 | 1 }
  /** The item of a for-each, and its index. */
  | { readonly of: "item" | "index" }
  /** A map of these nodes that have ended: content, result and status of each. */
  | { readonly of: "nodes"; readonly ids: readonly string[] }
  /** From this iteration, else the previous one; outside a loop, from the last of these nodes that completed. */
  | { readonly of: "content" | "result" | "status"; readonly nodes: readonly string[] };

/**
 * When a node runs: Archon's comparisons joined by && and || (text equality, number order), or CEL, which may treat
 * missing values as false instead of as an error.
 */
export type Condition =
  | { readonly kind: "comparisons"; readonly anyOf: readonly (readonly Comparison[])[] }
  | Sameness
  | ({ readonly kind: "cel"; readonly missing?: "false" } & Expression);

/** True if two texts are equal except for case and surrounding spaces; alone, if a text is neither `false` nor `0`. */
export interface Sameness {
  readonly kind: "sameness";
  readonly left: Text;
  readonly right?: Text | undefined;
  /** True if they must differ instead. */
  readonly differs: boolean;
}

export interface Comparison {
  readonly left: Reference;
  readonly operator: "==" | "!=" | "<" | ">" | "<=" | ">=";
  readonly right: string;
}

const field = { field: z.string().exactOptional() };
const otherwise = { otherwise: z.string().exactOptional() };

export const reference: z.ZodType<Reference> = z.discriminatedUnion("ref", [
  z.strictObject({ ref: z.literal("value"), name: z.string() }),
  z.strictObject({ ref: z.literal("input"), name: z.string(), ...otherwise }),
  z.strictObject({
    ref: z.literal("output"),
    node: z.string(),
    ...field,
    ...otherwise,
    undeclared: z.literal(true).exactOptional(),
  }),
  z.strictObject({ ref: z.literal("previous"), node: z.string(), ...field }),
  z.strictObject({ ref: z.literal("item"), ...field }),
  z.strictObject({
    ref: z.literal("shared"),
    of: z.enum(["outputs", "memory"]),
    name: z.string(),
    way: z.array(z.string()),
  }),
]);

export const text: z.ZodType<Text> = z.array(z.union([z.string(), reference]));

const variables = z.record(z.string(), reference);
export const shellText: z.ZodType<ShellText> = z.strictObject({ script: z.string(), variables });
export const binding: z.ZodType<Binding> = z.discriminatedUnion("of", [
  z.strictObject({ of: z.literal("iteration"), from: z.union([z.literal(0), z.literal(1)]) }),
  z.strictObject({ of: z.enum(["item", "index"]) }),
  z.strictObject({ of: z.literal("nodes"), ids: z.array(z.string()) }),
  z.strictObject({ of: z.enum(["content", "result", "status"]), nodes: z.array(z.string()) }),
]);

const bind = z.record(z.string(), binding).exactOptional();
export const expression: z.ZodType<Expression> = z.strictObject({ source: z.string(), variables, bind });

const comparison: z.ZodType<Comparison> = z.strictObject({
  left: reference,
  operator: z.enum(["==", "!=", "<", ">", "<=", ">="]),
  right: z.string(),
});

export const condition: z.ZodType<Condition> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("comparisons"), anyOf: z.array(z.array(comparison)) }),
  z.strictObject({
    kind: z.literal("sameness"),
    left: text,
    right: text.exactOptional(),
    differs: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal("cel"),
    source: z.string(),
    variables,
    bind,
    missing: z.literal("false").exactOptional(),
  }),
]);
