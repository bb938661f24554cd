import { type DollarOptions, type Place, valueNames } from "./dollar.ts";
import { scanCommand } from "./shell-scan.ts";
import type { ShellText } from "./text.ts";
import { variables } from "./variables.ts";

export interface ParsedShell {
  readonly text: ShellText;
  readonly places: readonly Place[];
}

/**
 * Reads bash source: every reference becomes a variable that the author's quotes around it do not change,
 * so a value arrives byte for byte and is never source. What is not a reference of ours is left to bash.
 */
export function parseShell(source: string, options: DollarOptions = {}): ParsedShell {
  const known = options.known ?? new Set(valueNames);
  const names = variables(known);
  const places: Place[] = [];
  const out: string[] = [];
  scanCommand({
    source,
    known,
    out,
    at: 0,
    end: source.length,
    depth: 0,
    heredocs: [],
    name(reference, offset) {
      places.push({ reference, offset });
      return names.name(reference);
    },
  });
  return { text: { script: out.join(""), variables: names.all() }, places };
}
