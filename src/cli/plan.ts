import { resolve } from "node:path";
import { planMermaid, planText } from "../render/plan-markdown.ts";
import { compileFile, findNamed } from "./compile-file.ts";
import { printDiagnostics } from "./diagnostics.ts";
import { type ExitCode, exit } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { print } from "./print.ts";

interface PlanOptions extends CommonOptions {
  readonly format: "text" | "json" | "mermaid";
}

/** `until-green plan`: what a workflow would do. */
export async function planCommand(file: string, options: PlanOptions): Promise<ExitCode> {
  const cwd = resolve(options.cwd ?? ".");
  const compiled = await compileFile(findNamed(file, cwd), cwd);
  // The plan is always on stdout, regardless of other options.
  const code = printDiagnostics(compiled.ok ? compiled.warnings : compiled.diagnostics, {
    ...options,
    json: false,
  });
  if (!compiled.ok) return code;
  const shown = {
    text: () => planText(compiled.plan),
    json: () => `${JSON.stringify(compiled.plan, undefined, 2)}\n`,
    mermaid: () => planMermaid(compiled.plan),
  };
  print(shown[options.json ? "json" : options.format]());
  return exit.ok;
}
