import type { Diagnostic } from "../plan/diagnostic.ts";
import { type ExitCode, exit } from "./exit.ts";

/** Prints the faults of workflow files: a notice each for programs, a line each for people. */
export function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  { json, quiet }: { readonly json?: boolean; readonly quiet?: boolean },
): ExitCode {
  for (const [index, { code, message, file, line, column, hint, warning }] of diagnostics.entries()) {
    if (json) {
      const told = {
        type: "notice",
        code,
        message,
        file,
        line,
        column,
        ...(hint === undefined ? {} : { hint }),
      };
      const event = { v: 1, seq: index + 1, at: new Date().toISOString(), run: "", ...told };
      process.stdout.write(`${JSON.stringify(event)}\n`);
    }
    if (quiet && warning) continue;
    const kind = warning ? "warning" : "error";
    process.stderr.write(`${file}:${line}:${column} ${kind} ${code} ${message}\n`);
    if (hint !== undefined) process.stderr.write(`    ${hint}\n`);
  }
  return diagnostics.some(({ warning }) => !warning) ? exit.usage : exit.ok;
}
