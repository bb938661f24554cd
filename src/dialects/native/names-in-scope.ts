import { valueNames } from "../../expressions/dollar-template.ts";

/** The fields that an `output_format` declares. */
export interface DeclaredFields {
  readonly names: readonly string[];
  /** Whether an answer may have others. */
  readonly allowsOthers: boolean;
}

/** What the texts at one place of a file may name. */
export interface Names {
  /** `$NAME`s that mean something, accumulated ones included. */
  readonly values: ReadonlySet<string>;
  /** Whether the text is in a loop. */
  readonly isInLoop: boolean;
  /** Whether `$LOOP_ITEM` means something. */
  readonly hasItem: boolean;
  /** Whether a node is done before the text is used. */
  sees(id: string): boolean;
  /**
   * Whether the node is in an earlier layer of a file of Archon's, which runs layer by layer. The text's node then waits
   * for it.
   */
  waitsFor(id: string): boolean;
  /** Whether there is such a node, in reach or not. */
  exists(id: string): boolean;
  /** Whether the id is that of the text's node, or of a loop around it. */
  within(id: string): boolean;
  /** Whether `$LOOP_PREV` may name the node: it is in the body of an enclosing loop. */
  previous(id: string): boolean;
  /** The fields that a node's `output_format` declares, if any. */
  fields(id: string): DeclaredFields | undefined;
  /** Ids similar to a mistyped one. */
  candidates(): readonly string[];
}

/** What a text outside all graphs may name. */
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

/** What an expression may name without a `$`. */
export function plainNames({ isInLoop, hasItem }: Names): readonly string[] {
  const ofLoop = isInLoop ? ["output", "result", "iteration", "previous"] : [];
  return hasItem ? [...ofLoop, "item", "index"] : ofLoop;
}
