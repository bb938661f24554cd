import type { Fault } from "../../plan/diagnostic.ts";
import type { Graph, NamedAgent } from "../../plan/plan.ts";
import type { Files } from "../dialect.ts";
import type { SourcePath } from "../parse-fields.ts";
import type { AgentDefaults } from "./agent-settings.ts";
import type { DeclaredFields, Names } from "./names-in-scope.ts";

/** The state of reading one file. */
export interface ReaderContext {
  readonly faults: Fault[];
  readonly calls: { readonly workflow: string; readonly at: SourcePath }[];
  readonly files: Files;
  readonly inputs: ReadonlySet<string>;
  readonly agents: ReadonlyMap<string, NamedAgent>;
  /** The file says that it waits for people. */
  readonly isInteractive: boolean;
  /** Maximum parallel nodes in each graph. */
  readonly atMost: number;
  /** Reads the body of a loop; a parameter, because graphs contain loops and loops contain graphs. */
  readonly readGraph: (reader: ReaderContext, source: GraphSource) => ReadGraph;
  /** Nodes read so far, bodies included. */
  count: number;
  /** Where included nodes were written, and the settings they are read with. */
  readonly origins: WeakMap<object, ExpandedNode>;
  /** The workflows that were included, with what is wrong in them. */
  readonly included: { readonly name: string; readonly at: SourcePath; readonly faults: Fault[] }[];
}

/** A node after includes were expanded, with its file and context. */
export interface ExpandedNode {
  readonly node: unknown;
  readonly at: SourcePath;
  readonly reader: ReaderContext;
}

/** A list of nodes as written. */
export interface GraphSource {
  readonly nodes: readonly unknown[];
  /** The position of the list. */
  readonly at: SourcePath;
  readonly enclosing: EnclosingContext;
}

/** The same, read. */
export interface ReadGraph {
  readonly graph: Graph;
  /** The ids of its nodes. */
  readonly ids: ReadonlySet<string>;
  /** The result fields that some of them declare. */
  readonly fields: ReadonlyMap<string, DeclaredFields>;
}

/** The settings a graph inherits. */
export interface EnclosingContext {
  readonly names: Names;
  /** Whether a node around the graph bears this id. */
  outer(id: string): boolean;
  readonly defaults: CallDefaults;
}

/** Defaults of the agent calls in a loop's body. */
export interface CallDefaults extends AgentDefaults {
  readonly agent?: string;
  readonly model?: string;
  readonly idleMs: number;
  readonly timeoutMs?: number;
}
