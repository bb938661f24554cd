import type { Fault } from "../../plan/diagnostic.ts";
import type { Graph, NamedAgent } from "../../plan/plan.ts";
import type { Files } from "../dialect.ts";
import type { At } from "../shape.ts";
import type { Names } from "./names.ts";

/** What is known and found while one file is read. */
export interface Sheet {
  readonly faults: Fault[];
  readonly calls: { readonly workflow: string; readonly at: At }[];
  readonly files: Files;
  readonly inputs: ReadonlySet<string>;
  readonly agents: ReadonlyMap<string, NamedAgent>;
  /** The file says that it waits for people. */
  readonly isInteractive: boolean;
  /** Nodes at work at a time, in each graph. */
  readonly atMost: number;
  /** Reads the body of a loop; handed in, as graphs hold loops and loops hold graphs. */
  readonly readGraph: (sheet: Sheet, source: GraphSource) => ReadGraph;
  /** Nodes read so far, bodies included. */
  count: number;
}

/** A list of nodes as it is written. */
export interface GraphSource {
  readonly nodes: readonly unknown[];
  /** Where the list stands. */
  readonly at: At;
  readonly around: Around;
}

/** The same, read. */
export interface ReadGraph {
  readonly graph: Graph;
  /** The ids of its nodes. */
  readonly ids: ReadonlySet<string>;
  /** What some of them declare of their answers. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

/** What a graph takes from what stands around it. */
export interface Around {
  readonly names: Names;
  /** Whether a node around the graph bears this id. */
  outer(id: string): boolean;
  readonly defaults: CallDefaults;
}

/** What the agent calls in a loop's body are made with where they say nothing else. */
export interface CallDefaults {
  readonly agent?: string;
  readonly model?: string;
  readonly idleMs: number;
  readonly timeoutMs?: number;
}
