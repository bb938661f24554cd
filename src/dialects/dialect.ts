import type { Fault } from "../plan/diagnostic.ts";
import type { Plan, ScriptNode } from "../plan/plan.ts";

/** One workflow language. */
export interface Dialect {
  readonly name: string;
  /** Top-level keys that may be repeated; the second one is read as `key (2)`. */
  readonly repeatable?: ReadonlySet<string>;
  /** Whether the document is in this language; checks only its shape. */
  claims(document: unknown): boolean;
  /** All faults of the document, and its plan unless there is a fault that is not a warning. Total and pure. */
  read(document: unknown, files: Files): Reading;
}

export interface Reading {
  readonly faults: readonly Fault[];
  /** Without `workflows`, which the compiler adds for each call. */
  readonly plan: Omit<Plan, "workflows"> | undefined;
  /** The called workflows, with the positions of the calls. */
  readonly calls: readonly CallPlace[];
}

interface CallPlace {
  readonly workflow: string;
  readonly at: readonly (string | number)[];
  /** The inputs that the call passes. */
  readonly gives?: readonly string[];
  /** Similar names, if there is no such workflow. */
  readonly hint?: string | undefined;
}

export type ScriptRuntime = ScriptNode["runtime"];

/** The extensions of script files that a runtime can run. */
export const scriptEndings: Readonly<Record<ScriptRuntime, readonly string[]>> = {
  bun: [".ts", ".js", ".mjs", ".sh"],
  node: [".ts", ".js", ".mjs"],
  python: [".py"],
  uv: [".py"],
};

/** The files that a workflow may use. */
export interface Files {
  /** The text of a command file, by name. */
  command(name: string): string | undefined;
  /** The text of a file, by its path relative to the workflow; `undefined` if it is outside the checkout. */
  text?(path: string): string | undefined;
  /** The file that defines an agent, by the agent's name. */
  soul?(name: string): { readonly file: string; readonly text: string } | undefined;
  /** Parses a document in a text; `because` says why it cannot be parsed. */
  parse?(text: string): { readonly value: unknown; readonly because?: string | undefined };
  /** The path of a script, by its name and possible extensions. */
  script?(name: string, endings: readonly string[]): string | undefined;
  /** Command files and scripts as seen from another workflow. */
  packaged?(file: string): Pick<Files, "command" | "script">;
  workflow(name: string): { readonly file: string; readonly text: string } | undefined;
  /** The text of the repository's `.archon/config.yaml`. */
  archonConfig?(): string | undefined;
  /** The globs that match no file of the project, each with a similar one that does. */
  unmatchedGlobs?(globs: readonly string[]): ReadonlyMap<string, string | undefined>;
  /** A variable of the environment; `undefined` if it is not set or a secret. */
  environment?(name: string): string | undefined;
  /** True for a file in Archon's folder: unknown keys are ignored with a warning, as in Archon. */
  readonly isArchons?: boolean;
  /** The built-in agents; without them, any name counts as one. */
  readonly agents?: AgentNames;
}

export const isInArchonsFolder = (file: string): boolean => /(?:^|[/\\])\.archon[/\\]/.test(file);

/** The agent for a provider named in another language; `undefined` if there is none. */
export function agentBehind(provider: string, { agents }: Pick<Files, "agents">): string | undefined {
  if (agents === undefined || agents.has(provider)) return provider;
  return agents.ofProvider(provider);
}

/** The built-in agents, by the names that files can use. */
export interface AgentNames {
  readonly names: readonly string[];
  /** Whether an agent of this name exists, with its argument after the colon. */
  has(name: string): boolean;
  /** The agent for a provider name in other languages. */
  ofProvider(provider: string): string | undefined;
}
