import type { Node } from "../../plan/plan.ts";
import type { ParsedFields, SourcePath } from "../parse-fields.ts";
import type { Names } from "./names-in-scope.ts";
import type { EnclosingContext, ReaderContext } from "./reader-context.ts";
import type { nodeFields } from "./schema.ts";

/** A node as written, with its fields parsed. */
export interface RawNode {
  readonly id: string;
  readonly after: readonly string[];
  readonly at: SourcePath;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: ParsedFields<typeof nodeFields>;
  /** The context for reading the node; differs from its graph's if it was included. */
  readonly reader: ReaderContext;
}

export interface NodeContext {
  readonly names: Names;
  /** The context for a body inside the node. */
  readonly enclosing: EnclosingContext;
}

export interface NodeReaderContext extends NodeContext {
  readonly base: NodeBase;
}

/** The fields of every kind of node. */
export type NodeBase = Pick<Node, "id" | "after" | "trigger" | "when" | "retry" | "walls" | "readOnly">;
