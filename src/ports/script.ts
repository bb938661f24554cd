import type { ProcessContext, ShellAnswer } from "./shell.ts";

/** Runs a program in a language other than bash; answers like a shell. */
export interface ScriptRunner {
  run(request: ScriptRequest, context: ProcessContext): Promise<ShellAnswer>;
}

export interface ScriptRequest {
  readonly runtime: "node" | "bun" | "python" | "uv";
  /** Source text, or the path of a file in the workspace. */
  readonly source: { readonly inline: string } | { readonly file: string };
  readonly deps: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
  readonly cwd?: string;
}
