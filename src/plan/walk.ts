import { z } from "zod";
import { type FieldTests, fieldTests } from "../expr/field-tests.ts";
import { type Reference, reference } from "../expr/text.ts";

/** One node at a time, in a scope that all of them share: how a node ended says which comes next. */
export interface Walk {
  /** Where it begins; at the first node in file order where absent. */
  readonly entry?: string;
  /** What follows each node; where absent, the next one in file order does. */
  readonly next?: Readonly<Record<string, Next>>;
  /** The exits of a node after which none of the others runs. */
  readonly leaveOn?: readonly string[];
  /** What a run of this walk says its nodes gave: their outputs; where absent their results, where they have some. */
  readonly results?: "outputs";
}

/** The ways on from one node; a target without a node is the end. */
export interface Next {
  readonly to?: Target;
  /** By the node's exit instead; one that is not named here, where `otherwise` is not either, fails the walk. */
  readonly byExit?: Readonly<Record<string, Target>>;
  readonly otherwise?: Target;
  /** After a failure, or the exit `error`. */
  readonly onFailure?: string;
}

export interface Target {
  readonly node?: string;
}

/** Gives a node's output an exit: where the text is in it, the pattern matches it, or the tests hold; always without. */
export interface ExitRule {
  readonly exit: string;
  readonly contains?: string;
  readonly matches?: string;
  readonly tests?: FieldTests;
}

/** What each iteration finds in the memory of those before it. */
export interface Carry {
  /** Its name there. */
  readonly as: string;
  /** The nodes whose outputs are carried: of the iteration before, or a list with an entry for each iteration. */
  readonly nodes: readonly string[];
  readonly what: "last" | "all";
  /** Characters all entries may take; the oldest are left out where they are more, never the newest. */
  readonly most: number;
}

/** Something the memory keeps under a name: which fields it has, and how they are called. */
export interface Remark {
  readonly name: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** What a loop leaves behind once it has ended well. */
export interface Ending {
  /** Its output: what stands before the number of iterations, and what after it. */
  readonly output: readonly [string, string];
  /** Its result, kept in the memory too; the fields `iterations`, `early` and `because` by the names they get. */
  readonly remark: Remark;
  /** The words for why it ended, by stop reason. */
  readonly because: Readonly<Record<string, string>>;
}

/** What a program reads of the scope: a JSON object in an environment variable, with every name of the scope in it. */
export interface ProgramData {
  readonly variable: string;
  /** Further names; these win over those of the scope. */
  readonly given: Readonly<Record<string, Reference>>;
  /** Names under which all outputs stand together, and all of the memory. */
  readonly outputs: readonly string[];
  readonly memory: readonly string[];
}

const target: z.ZodType<Target> = z.strictObject({ node: z.string().exactOptional() });

const next: z.ZodType<Next> = z.strictObject({
  to: target.exactOptional(),
  byExit: z.record(z.string(), target).exactOptional(),
  otherwise: target.exactOptional(),
  onFailure: z.string().exactOptional(),
});

export const walk: z.ZodType<Walk> = z.strictObject({
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

export const carry: z.ZodType<Carry> = z.strictObject({
  as: z.string(),
  nodes: z.array(z.string()),
  what: z.enum(["last", "all"]),
  most: z.number(),
});

export const remark: z.ZodType<Remark> = z.strictObject({
  name: z.string(),
  fields: z.record(z.string(), z.string()),
});

export const ending: z.ZodType<Ending> = z.strictObject({
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
