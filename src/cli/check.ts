import { resolve } from "node:path";
import { readSource } from "../adapters/workflow-files.ts";
import type { Diagnostic } from "../plan/diagnostic.ts";
import { printDiagnostics } from "./diagnostics.ts";
import { type ExitCode, exit } from "./exit.ts";
import { compileFile } from "./files.ts";
import type { CommonOptions } from "./options.ts";

/** `until-green check`: every fault of every file. */
export async function checkCommand(files: readonly string[], options: CommonOptions): Promise<ExitCode> {
  const cwd = resolve(options.cwd ?? ".");
  const found: Diagnostic[] = [];
  for (const file of files) {
    const compiled = await compileFile(readSource(file, cwd), cwd);
    found.push(...(compiled.ok ? compiled.warnings : compiled.diagnostics));
  }
  const code = printDiagnostics(found, options);
  if (code === exit.ok && !options.quiet) {
    process.stderr.write(`${files.length === 1 ? "1 file" : `${files.length} files`} without errors\n`);
  }
  return code;
}
