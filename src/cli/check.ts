import { resolve } from "node:path";
import { MissingFileError, readSource } from "../adapters/workflow-files.ts";
import { printDiagnostics } from "./diagnostics.ts";
import { type ExitCode, exit } from "./exit.ts";
import { explain } from "./explain.ts";
import { compileFile } from "./files.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";

/** `until-green check`: every fault of every file. */
export async function checkCommand(files: readonly string[], options: CommonOptions): Promise<ExitCode> {
  const cwd = resolve(options.cwd ?? ".");
  let code: ExitCode = exit.ok;
  for (const file of files) {
    try {
      const compiled = await compileFile(readSource(file, cwd), cwd);
      code = printDiagnostics(compiled.ok ? compiled.warnings : compiled.diagnostics, options) || code;
    } catch (error) {
      // One that cannot be read must not hide the others.
      if (!(error instanceof MissingFileError)) throw error;
      code = explain(error, { json: options.json === true });
    }
  }
  if (code === exit.ok && !options.quiet) {
    say(`${files.length === 1 ? "1 file" : `${files.length} files`} without errors\n`);
  }
  return code;
}
