import type { Reference, Text } from "../expressions/template.ts";

/** A call of another workflow, in a scope of its own. */
export interface Call {
  readonly kind: "call";
  /** A key of the plan's `workflows`. */
  readonly workflow: string;
  readonly with: Readonly<Record<string, Text>>;
  /** The child's user message; defaults to the caller's. */
  readonly message?: Text;
  /** What the child's first nodes are shown of the caller. */
  readonly context?: Text;
  /** Names of `with` that, with the item, make the message instead, as a JSON object. */
  readonly object?: readonly string[];
  /** What the caller's memory keeps of it: values of the child, under these names. */
  readonly takes?: Readonly<Record<string, Reference>>;
}
