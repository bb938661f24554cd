import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { listWorkflows, MissingFileError, type SourceFile } from "../local/workflow-files.ts";
import type { Diagnostic } from "../plan/diagnostic.ts";
import { asSarif, asWorkflowCommands } from "../render/diagnostics.ts";
import { bashFaults } from "./bash-syntax.ts";
import { compileFile, findNamed } from "./compile-file.ts";
import { printDiagnostics } from "./diagnostics.ts";
import { printError } from "./error-message.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { version } from "./help.ts";
import type { CommonOptions } from "./options.ts";
import { print, say } from "./print.ts";

interface CheckOptions extends CommonOptions {
  readonly format?: "text" | "sarif" | "github";
}

/** `until-green check`: reports all errors of the given files, by default of all workflows. */
export async function checkCommand(named: readonly string[], options: CheckOptions): Promise<ExitCode> {
  const cwd = resolve(options.cwd ?? ".");
  const files = named.length === 0 ? listWorkflows(cwd) : named.flatMap((name) => filesAt(name, cwd));
  if (files.length === 0)
    throw new UsageError(
      "there is no workflow in .github/loops or .archon/workflows: name a file, or write one with `until-green init`",
    );
  const diagnostics: Diagnostic[] = [];
  let code: ExitCode = exit.ok;
  for (const file of files) {
    try {
      diagnostics.push(...(await diagnosticsOf(findNamed(file, cwd), cwd)));
    } catch (error) {
      // An unreadable file must not hide the others.
      if (!(error instanceof MissingFileError)) throw error;
      code = printError(error, { json: options.json === true });
    }
  }
  if (code !== exit.ok && diagnostics.length === 0) return code;
  return show(diagnostics, files.length, options) || code;
}

/** A folder stands for the workflow files in it. */
function filesAt(name: string, cwd: string): readonly string[] {
  const path = resolve(cwd, name);
  if (!existsSync(path) || !statSync(path).isDirectory()) return [name];
  const files = readdirSync(path)
    .filter((file) => /\.ya?ml$/.test(file))
    .sort();
  if (files.length === 0) throw new UsageError(`${name} contains no workflow file (.yml or .yaml)`);
  return files.map((file) => join(name, file));
}

async function diagnosticsOf(source: SourceFile, cwd: string): Promise<readonly Diagnostic[]> {
  const compiled = await compileFile(source, cwd);
  return compiled.ok ? [...compiled.warnings, ...(await bashFaults(source))] : compiled.diagnostics;
}

function show(diagnostics: readonly Diagnostic[], files: number, options: CheckOptions): ExitCode {
  const { format = "text" } = options;
  if (format === "sarif") print(asSarif(diagnostics, version));
  if (format === "github") print(asWorkflowCommands(diagnostics));
  if (format === "text") printDiagnostics(diagnostics, options);
  const isFaulty = diagnostics.some(({ warning }) => !warning);
  if (!isFaulty && !options.quiet) say(`${files === 1 ? "1 file" : `${files} files`} without errors\n`);
  return isFaulty ? exit.usage : exit.ok;
}
