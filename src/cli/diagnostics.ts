import type { Diagnostic } from "../plan/diagnostic.ts";
import { type ExitCode, exit } from "./exit.ts";
import { printNotice, say } from "./print.ts";

/** Prints the faults of workflow files: a notice each for programs, a line each for people. */
export function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  { json, quiet }: { readonly json?: boolean; readonly quiet?: boolean },
): ExitCode {
  for (const { code, message, file, line, column, hint, warning } of diagnostics) {
    if (json) {
      printNotice({ code, message, file, line, column, ...(hint === undefined ? {} : { hint }) });
    }
    if (quiet && warning) continue;
    const kind = warning ? "warning" : "error";
    say(`${file}:${line}:${column} ${kind} ${code} ${message}\n`);
    if (hint !== undefined) say(`    ${hint}\n`);
  }
  return diagnostics.some(({ warning }) => !warning) ? exit.usage : exit.ok;
}
