import { z } from "zod";
import { fieldTests } from "../expressions/field-tests.ts";
import { reference } from "../expressions/template.ts";
import type { Infer } from "../ports/infer.ts";

const target = z.strictObject({ node: z.string().exactOptional() });

export type Target = Infer<typeof target>;

/** The transitions of one node; one without a target is the end. */
const transition = z.strictObject({
  to: target.exactOptional(),
  /** By the node's exit instead; an exit without a transition fails the sequence unless `otherwise` is set. */
  byExit: z.record(z.string(), target).exactOptional(),
  otherwise: target.exactOptional(),
  /** After a failure, or the exit `error`. */
  onFailure: z.string().exactOptional(),
});

export type Transition = Infer<typeof transition>;

/** Nodes that run one at a time in a shared scope: a node's exit decides which comes next. */
export const sequence = z.strictObject({
  /** The first node; by default the first in file order. */
  entry: z.string().exactOptional(),
  /** The transitions of each node; by default to the next one in file order. */
  next: z.record(z.string(), transition).exactOptional(),
  /** Exits of a node after which no other node runs. */
  leaveOn: z.array(z.string()).exactOptional(),
  /** What the run reports as node results: outputs, or by default structured results if there are any. */
  results: z.literal("outputs").exactOptional(),
});

export type Sequence = Infer<typeof sequence>;

/**
 * Gives an output an exit if it contains the text, matches the pattern, or passes the tests; always if it has none of
 * these.
 */
export const exitRule = z.strictObject({
  exit: z.string(),
  contains: z.string().exactOptional(),
  matches: z.string().exactOptional(),
  tests: fieldTests.exactOptional(),
});

export type ExitRule = Infer<typeof exitRule>;

/** What each iteration finds in the memory from earlier ones. */
export const carriedContext = z.strictObject({
  /** Its name there. */
  as: z.string(),
  /** The nodes whose outputs are carried: from the previous iteration, or a list with an entry per iteration. */
  nodes: z.array(z.string()),
  what: z.enum(["last", "all"]),
  /** Maximum characters of all entries; the oldest are dropped first, never the newest. */
  most: z.number(),
});

export type CarriedContext = Infer<typeof carriedContext>;

/** An object stored in the memory: which fields it has, and their names. */
export const storedFields = z.strictObject({ name: z.string(), fields: z.record(z.string(), z.string()) });

/** What a loop stores once it has succeeded. */
export const loopResultNames = z.strictObject({
  /** Its output: the text before the number of iterations, and the text after it. */
  output: z.tuple([z.string(), z.string()]),
  /** Its result, also kept in the memory: the names of the fields `iterations`, `early` and `because`. */
  remark: storedFields,
  /** The text for why it ended, by stop reason. */
  because: z.record(z.string(), z.string()),
});

export type LoopResultNames = Infer<typeof loopResultNames>;

/** A program's view of the scope: a JSON object in an environment variable, with every name of the scope. */
export const programData = z.strictObject({
  variable: z.string(),
  /** Further names; these override those of the scope. */
  given: z.record(z.string(), reference),
  /** Names under which all outputs, and the whole memory, appear. */
  outputs: z.array(z.string()),
  memory: z.array(z.string()),
});

export type ProgramData = Infer<typeof programData>;
