import { z } from "zod";
import { type FieldTests, fieldTests } from "../expressions/field-tests.ts";
import { type Reference, reference } from "../expressions/template.ts";

/** Nodes that run one at a time in a shared scope: a node's exit decides which comes next. */
export interface Sequence {
  /** The first node; by default the first in file order. */
  readonly entry?: string;
  /** The transitions of each node; by default to the next one in file order. */
  readonly next?: Readonly<Record<string, Transition>>;
  /** Exits of a node after which no other node runs. */
  readonly leaveOn?: readonly string[];
  /** What the run reports as node results: outputs, or by default structured results if there are any. */
  readonly results?: "outputs";
}

/** The transitions of one node; one without a target is the end. */
export interface Transition {
  readonly to?: Target;
  /** By the node's exit instead; an exit without a transition fails the sequence unless `otherwise` is set. */
  readonly byExit?: Readonly<Record<string, Target>>;
  readonly otherwise?: Target;
  /** After a failure, or the exit `error`. */
  readonly onFailure?: string;
}

export interface Target {
  readonly node?: string;
}

/**
 * Gives an output an exit if it contains the text, matches the pattern, or passes the tests; always if it has none of
 * these.
 */
export interface ExitRule {
  readonly exit: string;
  readonly contains?: string;
  readonly matches?: string;
  readonly tests?: FieldTests;
}

/** What each iteration finds in the memory from earlier ones. */
export interface CarriedContext {
  /** Its name there. */
  readonly as: string;
  /** The nodes whose outputs are carried: from the previous iteration, or a list with an entry per iteration. */
  readonly nodes: readonly string[];
  readonly what: "last" | "all";
  /** Maximum characters of all entries; the oldest are dropped first, never the newest. */
  readonly most: number;
}

/** An object stored in the memory: which fields it has, and their names. */
export interface StoredFields {
  readonly name: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** What a loop stores once it has succeeded. */
export interface LoopResultNames {
  /** Its output: the text before the number of iterations, and the text after it. */
  readonly output: readonly [string, string];
  /** Its result, also kept in the memory: the names of the fields `iterations`, `early` and `because`. */
  readonly remark: StoredFields;
  /** The text for why it ended, by stop reason. */
  readonly because: Readonly<Record<string, string>>;
}

/** A program's view of the scope: a JSON object in an environment variable, with every name of the scope. */
export interface ProgramData {
  readonly variable: string;
  /** Further names; these override those of the scope. */
  readonly given: Readonly<Record<string, Reference>>;
  /** Names under which all outputs, and the whole memory, appear. */
  readonly outputs: readonly string[];
  readonly memory: readonly string[];
}

const target: z.ZodType<Target> = z.strictObject({ node: z.string().exactOptional() });

const next: z.ZodType<Transition> = z.strictObject({
  to: target.exactOptional(),
  byExit: z.record(z.string(), target).exactOptional(),
  otherwise: target.exactOptional(),
  onFailure: z.string().exactOptional(),
});

export const sequenceSchema: z.ZodType<Sequence> = z.strictObject({
  entry: z.string().exactOptional(),
  next: z.record(z.string(), next).exactOptional(),
  leaveOn: z.array(z.string()).exactOptional(),
  results: z.literal("outputs").exactOptional(),
});

export const exitRule: z.ZodType<ExitRule> = z.strictObject({
  exit: z.string(),
  contains: z.string().exactOptional(),
  matches: z.string().exactOptional(),
  tests: fieldTests.exactOptional(),
});

export const carry: z.ZodType<CarriedContext> = z.strictObject({
  as: z.string(),
  nodes: z.array(z.string()),
  what: z.enum(["last", "all"]),
  most: z.number(),
});

export const remark: z.ZodType<StoredFields> = z.strictObject({
  name: z.string(),
  fields: z.record(z.string(), z.string()),
});

export const ending: z.ZodType<LoopResultNames> = z.strictObject({
  output: z.tuple([z.string(), z.string()]),
  remark,
  because: z.record(z.string(), z.string()),
});

export const programData: z.ZodType<ProgramData> = z.strictObject({
  variable: z.string(),
  given: z.record(z.string(), reference),
  outputs: z.array(z.string()),
  memory: z.array(z.string()),
});
