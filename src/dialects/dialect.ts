import type { Fault } from "../plan/diagnostic.ts";
import type { Plan, ScriptNode } from "../plan/plan.ts";

/** One YAML language. */
export interface Dialect {
  readonly name: string;
  /** Top-level keys that may occur more than once; the second is read as `key (2)`. */
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
  /** Similar names, if there is no such workflow. */
  readonly hint?: string | undefined;
}

export type ScriptRuntime = ScriptNode["runtime"];

/** The endings of script files that a runtime can run. */
export const scriptEndings: Readonly<Record<ScriptRuntime, readonly string[]>> = {
  bun: [".ts", ".js", ".mjs", ".sh"],
  node: [".ts", ".js", ".mjs"],
  python: [".py"],
  uv: [".py"],
};

/** The files beside a workflow that it may name. */
export interface Files {
  /** The text of a command file, by name. */
  command(name: string): string | undefined;
  /** The text of a file, by its path relative to the workflow; `undefined` outside of the checkout. */
  text?(path: string): string | undefined;
  /** A file that says who an agent is, by the agent's name. */
  soul?(name: string): { readonly file: string; readonly text: string } | undefined;
  /** The document a text holds, or why it holds none. */
  parse?(text: string): { readonly value: unknown; readonly because?: string | undefined };
  /** The path of a script, by its name and the endings it may have. */
  script?(name: string, endings: readonly string[]): string | undefined;
  /** The command files and scripts that another workflow means by its names. */
  packaged?(file: string): Pick<Files, "command" | "script">;
  workflow(name: string): { readonly file: string; readonly text: string } | undefined;
  /** The text of the repository's `.archon/config.yaml`. */
  archonConfig?(): string | undefined;
  /** A variable of the environment; `undefined` if it is not set, or a secret. */
  environment?(name: string): string | undefined;
  /** The file is in Archon's folder: keys that are not known are ignored with a warning, as Archon does. */
  readonly isArchons?: boolean;
  /** The agents that ship; without them every name is taken for one. */
  readonly agents?: AgentNames;
}

/** The agent for a provider in a file of another language; `undefined` if there is none. */
export function agentBehind(provider: string, { agents }: Pick<Files, "agents">): string | undefined {
  if (agents === undefined || agents.has(provider)) return provider;
  return agents.ofProvider(provider);
}

/** The agents that ship, as files may name them. */
export interface AgentNames {
  readonly names: readonly string[];
  /** Whether an agent of this name exists, with its argument after the colon. */
  has(name: string): boolean;
  /** The agent that other languages mean by the name of its provider. */
  ofProvider(provider: string): string | undefined;
}
