import { z } from "zod";
import { fieldTests } from "../expressions/field-tests.ts";
import { reference } from "../expressions/template.ts";
import type { Infer } from "../ports/infer.ts";

const target = z.strictObject({ node: z.string().exactOptional() });

export type TransitionTarget = Infer<typeof target>;

/** The transitions of one node; one without a target is the end. */
const transition = z.strictObject({
  to: target.exactOptional(),
  /** By the node's exit instead; an exit without a transition fails the sequence unless `otherwise` is set. */
  byExit: z.record(z.string(), target).exactOptional(),
  otherwise: target.exactOptional(),
  /** The next node after a failure, or after the exit `error`. */
  onFailure: z.string().exactOptional(),
});

export type Transition = Infer<typeof transition>;

/** Nodes that run one at a time in a shared scope: a node's exit decides which comes next. */
export const sequence = z.strictObject({
  /** The first node; by default the first in file order. */
  entry: z.string().exactOptional(),
  /** The transitions of each node; by default to the next one in file order. */
  next: z.record(z.string(), transition).exactOptional(),
  /** Exits of a node that end the sequence. */
  leaveOn: z.array(z.string()).exactOptional(),
  /** What the run reports as node results: outputs, or by default structured results if there are any. */
  results: z.literal("outputs").exactOptional(),
});

export type Sequence = Infer<typeof sequence>;

/**
 * Gives an output this exit if it contains the text, matches the pattern, or passes the tests; always, if none of
 * these is set.
 */
export const exitRule = z.strictObject({
  exit: z.string(),
  contains: z.string().exactOptional(),
  matches: z.string().exactOptional(),
  tests: fieldTests.exactOptional(),
});

export type ExitRule = Infer<typeof exitRule>;

/** A value that iterations store in the memory for later ones. */
export const carriedContext = z.strictObject({
  /** Its name in the memory. */
  as: z.string(),
  /** The nodes whose outputs are stored: of the previous iteration, or as a list with one entry per iteration. */
  nodes: z.array(z.string()),
  what: z.enum(["last", "all"]),
  /** Maximum characters of all entries. The oldest are dropped first; the newest is never dropped. */
  most: z.number(),
});

export type CarriedContext = Infer<typeof carriedContext>;

/** An object stored in the memory: which fields it has, and their names. */
export const storedFields = z.strictObject({ name: z.string(), fields: z.record(z.string(), z.string()) });

/** What a successful loop stores. */
export const loopResultNames = z.strictObject({
  /** Its output: the text before the number of iterations, and the text after it. */
  output: z.tuple([z.string(), z.string()]),
  /** Its result as an object, with the names of the fields `iterations`, `early` and `because`. */
  remark: storedFields,
  /** The text for each stop reason. */
  because: z.record(z.string(), z.string()),
});

export type LoopResultNames = Infer<typeof loopResultNames>;

/** A program's view of the scope: an environment variable with a JSON object that has every name of the scope. */
export const programData = z.strictObject({
  variable: z.string(),
  /** Additional names, which override those of the scope. */
  given: z.record(z.string(), reference),
  /** Names for all outputs, and for the whole memory. */
  outputs: z.array(z.string()),
  memory: z.array(z.string()),
});

export type ProgramData = Infer<typeof programData>;
