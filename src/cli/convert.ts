import { resolve } from "node:path";
import { convert } from "../../tools/convert/convert.ts";
import { agentNames } from "../agents/index.ts";
import { filesBeside } from "../local/workflow-files.ts";
import { withLazyModules } from "../ports/lazy-module.ts";
import { writeNewFile } from "../processes/replace-file.ts";
import { findNamed } from "./compile-file.ts";
import { printDiagnostics } from "./diagnostics.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { notWritten } from "./not-written.ts";
import type { CommonOptions } from "./options.ts";
import { print, say } from "./print.ts";

interface ConvertOptions extends CommonOptions {
  readonly out?: string;
}

/** `until-green convert`: writes a workflow of any language as an equivalent native file. */
export async function convertCommand(file: string, options: ConvertOptions): Promise<ExitCode> {
  const cwd = resolve(options.cwd ?? ".");
  const source = findNamed(file, cwd);
  const files = { ...filesBeside(source.file, cwd), agents: agentNames };
  const converted = await withLazyModules(() => convert(source, files));
  if (!converted.ok) return printDiagnostics(converted.diagnostics, options);
  // Without `--out`, the file is written to stdout.
  printDiagnostics(converted.warnings, {
    ...options,
    json: (options.json ?? false) && options.out !== undefined,
  });
  if (options.out === undefined) print(converted.text);
  else writeNew(resolve(cwd, options.out), options.out, converted.text);
  if (!options.quiet) for (const note of converted.notes) say(`note: ${note}\n`);
  return exit.ok;
}

function writeNew(path: string, shown: string, text: string): void {
  try {
    writeNewFile(path, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new UsageError(`${shown} already exists; nothing was changed`);
    throw notWritten(shown, error);
  }
}
