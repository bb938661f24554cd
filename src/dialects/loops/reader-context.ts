import type { Fault } from "../../plan/diagnostic.ts";
import type { AgentSettings } from "../../ports/agent.ts";
import type { Files } from "../dialect.ts";
import type { SourcePath } from "../parse-fields.ts";

/** The state of reading one file. */
export interface ReaderContext {
  readonly faults: Fault[];
  readonly calls: { readonly workflow: string; readonly at: SourcePath; readonly gives: readonly string[] }[];
  readonly files: Files;
  readonly env: Readonly<Record<string, string>>;
  readonly names: Names;
  readonly execution: Execution;
}

/** The names of a file's elements, in order. */
export interface Names {
  has(element: string): boolean;
  /** The loop that collects its outputs under a name. */
  gatheredBy(name: string): Gathering | undefined;
  /** The loop upstream of an element that ends last. */
  lastLoopBefore(element: string): EndedLoop | undefined;
  /** All loops, in the order in which they run. */
  loops(): readonly string[];
  all(): readonly string[];
}

export interface EndedLoop {
  readonly id: string;
  /** True if it ran once for each item. */
  readonly iterates: boolean;
}

/** A loop that collects its outputs under a name. */
export interface Gathering {
  readonly loop: string;
  /** Its name in the plan. */
  readonly name: string;
}

/** The file's default settings of steps. */
export interface Execution {
  readonly agent?: string;
  readonly model?: string;
  readonly settings?: AgentSettings;
  readonly timeoutMs?: number;
  readonly atMost: number;
  /** True if steps may fail by default. */
  readonly mayFail: boolean;
}
