import { type DollarOptions, type TemplatePosition, valueNames } from "./dollar-template.ts";
import { scanCommand } from "./shell-scan.ts";
import type { ShellText } from "./template.ts";
import { variables } from "./variables.ts";

export interface ParsedShell {
  readonly text: ShellText;
  readonly places: readonly TemplatePosition[];
}

/**
 * Parses bash source. Every reference becomes a variable whose value the surrounding quotes cannot change, so it
 * arrives byte for byte and never becomes source. Everything else is left to bash.
 */
export function parseShell(source: string, options: DollarOptions = {}): ParsedShell {
  const known = options.known ?? new Set(valueNames);
  const names = variables(known);
  const places: TemplatePosition[] = [];
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
