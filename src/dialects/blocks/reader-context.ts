import type { Reference } from "../../expressions/template.ts";
import type { Fault } from "../../plan/diagnostic.ts";
import type { NamedAgent, Node } from "../../plan/plan.ts";
import type { Files } from "../dialect.ts";
import type { ParsedFields, SourcePath } from "../parse-fields.ts";
import type { anyBlockFields, BlockType } from "./schema.ts";

/** The state of reading one file. */
export interface ReaderContext {
  readonly faults: Fault[];
  readonly calls: { readonly workflow: string; readonly at: SourcePath; readonly gives: readonly string[] }[];
  readonly files: Files;
  readonly blocks: ReadonlyMap<string, RawBlock>;
  /** The ids of all blocks, also of those that could not be read. */
  readonly ids: ReadonlySet<string>;
  /** The souls of the file, and those found in files of their own. */
  readonly souls: Map<string, NamedAgent>;
  /** The file's own souls, valid or not. */
  readonly written: ReadonlySet<string>;
  /** The memory names that something in this file writes, or that a caller passes. */
  readonly remembered: ReadonlySet<string>;
}

/** A block, read separately from the others. */
export interface RawBlock {
  readonly id: string;
  readonly at: SourcePath;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly type: BlockType;
  readonly fields: ParsedFields<typeof anyBlockFields>;
}

/** Values that enclosing loops carry into it. */
export interface EnclosingContext {
  readonly bindings: Readonly<Record<string, Reference>>;
  /** The names under which they carry context. */
  readonly carried: readonly string[];
}

/** Makes the node of a block, for each place at which it runs. */
export type Make = PartMaker<Node>;

/** What a block adds to its node, for each place at which it runs. */
export type PartMaker<Part> = (enclosing: EnclosingContext) => Part;
