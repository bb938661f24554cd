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
  /** True if the file declares that it waits for people. */
  readonly isInteractive: boolean;
  /** Maximum parallel nodes in each graph. */
  readonly atMost: number;
  /** Reads the body of a loop. Injected, because graphs contain loops and loops contain graphs. */
  readonly readGraph: (reader: ReaderContext, source: GraphSource) => ReadGraph;
  /** Nodes read so far, bodies included. */
  count: number;
  /** Where included nodes were written, and the settings that apply to them. */
  readonly origins: WeakMap<object, ExpandedNode>;
  /** The included workflows, with their faults. */
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

/** The list, parsed. */
export interface ReadGraph {
  readonly graph: Graph;
  /** The ids of its nodes. */
  readonly ids: ReadonlySet<string>;
  /** The result fields that its nodes declare. */
  readonly fields: ReadonlyMap<string, DeclaredFields>;
}

/** The settings that a graph inherits. */
export interface EnclosingContext {
  readonly names: Names;
  /** Whether an enclosing node has this id. */
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
