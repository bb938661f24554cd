import type { Node } from "../../plan/plan.ts";
import type { At, Shaped } from "../shape.ts";
import type { Names } from "./names.ts";
import type { nodeFields } from "./schema.ts";
import type { Around } from "./sheet.ts";

/** A node as it is written, with its own fields read. */
export interface Draft {
  readonly id: string;
  readonly after: readonly string[];
  readonly at: At;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: Shaped<typeof nodeFields>;
}

export interface NodeContext {
  readonly names: Names;
  /** What stands around the node: for a body inside it. */
  readonly around: Around;
}

/** What every kind of node has. */
export type NodeBase = Pick<Node, "id" | "after" | "trigger" | "when" | "retry">;
