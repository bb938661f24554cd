import type { Diagnostic } from "../plan/diagnostic.ts";
import { type ExitCode, exit } from "./exit.ts";
import { printNotice, say } from "./print.ts";

/** Prints the faults of workflow files: as notices for programs, as lines for people. */
export function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  { json, quiet }: { readonly json?: boolean; readonly quiet?: boolean },
): ExitCode {
  for (const { code, message, file, line, column, hint, warning } of diagnostics) {
    const severity = warning ? "warning" : "error";
    const more = hint === undefined ? {} : { hint };
    if (json) printNotice({ code, severity, message, file, line, column, ...more });
    if (quiet && warning) continue;
    say(`${file}:${line}:${column} ${severity} ${code} ${message}\n`);
    if (hint !== undefined) say(`    ${hint}\n`);
  }
  return diagnostics.some(({ warning }) => !warning) ? exit.usage : exit.ok;
}
