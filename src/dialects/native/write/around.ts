import type { Graph, LoopNode, Plan } from "../../../plan/plan.ts";
import type { Place } from "./sheet.ts";

/** What a graph that is carried over takes from what stands around it. */
export interface GraphAround {
  readonly plan: Plan;
  /** Ids of the graphs around. */
  readonly taken: ReadonlySet<string>;
  readonly workflows: Plan["workflows"];
  /** Carries the body of a loop over; handed in, as graphs hold loops and loops hold graphs. */
  nativeGraph(graph: Graph, place: Place, around: GraphAround): Graph;
}

/** What every kind of node has. */
export type NativeBase = Pick<LoopNode, "id" | "after" | "trigger" | "when" | "retry">;
