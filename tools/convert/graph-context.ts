import type { Graph, LoopNode, Plan } from "../../src/plan/plan.ts";
import type { WriterPosition } from "./writer-context.ts";

/** What a converted graph inherits from its context. */
export interface GraphContext {
  readonly plan: Plan;
  /** Ids of the enclosing graphs. */
  readonly taken: ReadonlySet<string>;
  readonly workflows: Plan["workflows"];
  /** Converts the body of a loop. Injected, because graphs contain loops and loops contain graphs. */
  nativeGraph(graph: Graph, context: WriterPosition, enclosing: GraphContext): Graph;
}

/** The fields of every kind of node. */
export type NativeBase = Pick<LoopNode, "id" | "after" | "trigger" | "when" | "retry">;
