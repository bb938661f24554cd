import type { Fault } from "../plan/diagnostic.ts";
import type { Plan } from "../plan/plan.ts";

/** One YAML language. */
export interface Dialect {
  readonly name: string;
  /** Keys that may stand at the top of a document more than once; the second is read as `key (2)`. */
  readonly repeatable?: ReadonlySet<string>;
  /** Whether the document is written in this language; looks at its shape only. */
  claims(document: unknown): boolean;
  /** Everything wrong with the document, and its plan when nothing worse than warnings was found. Total and pure. */
  read(document: unknown, files: Files): Reading;
}

export interface Reading {
  readonly faults: readonly Fault[];
  /** Lacks `workflows`: the compiler fills in what the calls name. */
  readonly plan: Omit<Plan, "workflows"> | undefined;
  /** The workflows called, each with the place that names it. */
  readonly calls: readonly CallPlace[];
}

interface CallPlace {
  readonly workflow: string;
  readonly at: readonly (string | number)[];
  /** The inputs the call gives. */
  readonly gives?: readonly string[];
  /** What may have been meant, where there is no such workflow. */
  readonly hint?: string | undefined;
}

/** The files beside a workflow that it may name. */
export interface Files {
  /** The text of a command file, by name. */
  command(name: string): string | undefined;
  /** The text of a file, by its path beside the workflow; nothing where that leads out of the checkout. */
  text?(path: string): string | undefined;
  /** A file that says who an agent is, by the agent's name. */
  soul?(name: string): { readonly file: string; readonly text: string } | undefined;
  /** The document a text holds, or why it holds none. */
  parse?(text: string): { readonly value: unknown; readonly because?: string | undefined };
  workflow(name: string): { readonly file: string; readonly text: string } | undefined;
}
