import { valueNames } from "../../expressions/dollar-template.ts";

/** The fields that an `output_format` declares. */
export interface DeclaredFields {
  readonly names: readonly string[];
  /** Whether an answer may have other fields. */
  readonly allowsOthers: boolean;
}

/** The names that texts at one place of a file can use. */
export interface Names {
  /** Known `$NAME`s, accumulated ones included. */
  readonly values: ReadonlySet<string>;
  /** Whether the text is inside a loop. */
  readonly isInLoop: boolean;
  /** Whether `$LOOP_ITEM` is available. */
  readonly hasItem: boolean;
  /** Whether a node has ended before the text is used. */
  sees(id: string): boolean;
  /**
   * Whether the node is in an earlier layer of an Archon file, which runs layer by layer. If so, the text's node
   * waits for it.
   */
  waitsFor(id: string): boolean;
  /** Whether such a node exists, reachable or not. */
  exists(id: string): boolean;
  /** Whether the id is that of the text's own node, or of an enclosing loop. */
  within(id: string): boolean;
  /** Whether `$LOOP_PREV` may name the node, because it is in the body of an enclosing loop. */
  previous(id: string): boolean;
  /** The fields that a node's `output_format` declares, if any. */
  fields(id: string): DeclaredFields | undefined;
  /** Ids similar to a mistyped one. */
  candidates(): readonly string[];
}

/** The scope of a text outside of all graphs. */
export const noNames: Names = {
  values: new Set(valueNames),
  isInLoop: false,
  hasItem: false,
  sees: () => false,
  waitsFor: () => false,
  exists: () => false,
  within: () => false,
  previous: () => false,
  fields: () => undefined,
  candidates: () => [],
};

/** Names that an expression can use without `$`. */
export function plainNames({ isInLoop, hasItem }: Names): readonly string[] {
  const ofLoop = isInLoop ? ["output", "result", "iteration", "previous"] : [];
  return hasItem ? [...ofLoop, "item", "index"] : ofLoop;
}
