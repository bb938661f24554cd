import { z } from "zod";
import type { Infer } from "../ports/infer.ts";

const field = { field: z.string().exactOptional() };
const otherwise = { otherwise: z.string().exactOptional() };

/**
 * A value named in a text. It is inserted once, when the text is used, and never scanned for further names.
 * `otherwise` is used if there is no value: an input without a value, a node that never ran.
 */
export const reference = z.discriminatedUnion("ref", [
  /** `$USER_MESSAGE`, `$LOOP_ITERATION`, an accumulated name …: a name that the scope resolves. */
  z.strictObject({ ref: z.literal("value"), name: z.string() }),
  /** `$INPUTS.name` */
  z.strictObject({ ref: z.literal("input"), name: z.string(), ...otherwise }),
  /** `$id.output` or `$id.output.field` */
  z.strictObject({
    ref: z.literal("output"),
    node: z.string(),
    ...field,
    ...otherwise,
    /** The node's `output_format` declares no such field: reading it fails if the answer lacks it. */
    undeclared: z.literal(true).exactOptional(),
  }),
  /** `$LOOP_PREV.id.output` or `….field`: from the previous iteration. */
  z.strictObject({ ref: z.literal("previous"), node: z.string(), ...field }),
  /** `$LOOP_ITEM` or `$LOOP_ITEM.field` */
  z.strictObject({ ref: z.literal("item"), ...field }),
  /** In a shared scope: a node's last output or a value of the memory, and the path to a part of it. */
  z.strictObject({
    ref: z.literal("shared"),
    of: z.enum(["outputs", "memory"]),
    name: z.string(),
    way: z.array(z.string()),
  }),
]);

export type Reference = Infer<typeof reference>;

/** A text with its references as data: literal parts and references in order. */
export const text = z.array(z.union([z.string(), reference]));

export type Text = Infer<typeof text>;

const variables = z.record(z.string(), reference);

/**
 * Bash source in which every reference has been replaced by a variable that the author's quotes cannot change, with
 * the reference for each variable.
 */
export const shellText = z.strictObject({
  script: z.string(),
  variables,
  /** Runs with `-eo pipefail`, like a `run:` step of GitHub; absent in Archon's files, and in older plans. */
  strict: z.literal(true).exactOptional(),
});

export type ShellText = Infer<typeof shellText>;

/** The meaning of a plain name in an expression. */
const binding = z.discriminatedUnion("of", [
  /** The number of the iteration, counted from 0 or 1. */
  z.strictObject({ of: z.literal("iteration"), from: z.union([z.literal(0), z.literal(1)]) }),
  /** The item of a for-each, and its index. */
  z.strictObject({ of: z.enum(["item", "index"]) }),
  /** The nodes of these that have ended, as a map with content, result and status of each. */
  z.strictObject({ of: z.literal("nodes"), ids: z.array(z.string()) }),
  /**
   * From the current iteration, else the previous one; outside a loop, from the last of these nodes that completed.
   */
  z.strictObject({ of: z.enum(["content", "result", "status"]), nodes: z.array(z.string()) }),
]);

export type Binding = Infer<typeof binding>;

/** A CEL expression whose references are variables of the source. */
export const expression = z.strictObject({
  source: z.string(),
  variables,
  /** The meaning of its plain names, if it differs from the scope's. */
  bind: z.record(z.string(), binding).exactOptional(),
});

export type Expression = Infer<typeof expression>;

const comparison = z.strictObject({
  left: reference,
  operator: z.enum(["==", "!=", "<", ">", "<=", ">="]),
  right: z.string(),
});

export type Comparison = Infer<typeof comparison>;

/**
 * True if two texts are equal except for case and surrounding spaces; with one text, true unless it is `false` or
 * `0`.
 */
const sameness = z.strictObject({
  kind: z.literal("sameness"),
  left: text,
  right: text.exactOptional(),
  /** True if they must differ instead. */
  differs: z.boolean(),
});

export type Sameness = Infer<typeof sameness>;

/**
 * When a node runs: Archon's comparisons joined by && and || (text equality, number order), or CEL, which can treat
 * missing values as false instead of as an error.
 */
export const condition = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("comparisons"), anyOf: z.array(z.array(comparison)) }),
  sameness,
  expression.extend({ kind: z.literal("cel"), missing: z.literal("false").exactOptional() }),
]);

export type Condition = Infer<typeof condition>;
