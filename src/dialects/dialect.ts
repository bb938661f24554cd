import type { Fault } from "../plan/diagnostic.ts";
import type { Plan } from "../plan/plan.ts";

/** One YAML language. */
export interface Dialect {
  readonly name: string;
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
  readonly calls: readonly { readonly workflow: string; readonly at: readonly (string | number)[] }[];
}

/** The files beside a workflow that it may name. */
export interface Files {
  /** The text of a command file, by name. */
  command(name: string): string | undefined;
  /** The text of a file, by its path beside the workflow; nothing where that leads out of the checkout. */
  text?(path: string): string | undefined;
  workflow(name: string): { readonly file: string; readonly text: string } | undefined;
}
