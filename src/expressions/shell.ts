import { type DollarOptions, type TemplatePosition, valueNames } from "./dollar-template.ts";
import { scanCommand } from "./shell-scan.ts";
import type { ShellText } from "./template.ts";
import { variables } from "./variables.ts";

export interface ParsedShell {
  readonly text: ShellText;
  readonly places: readonly TemplatePosition[];
}

/**
 * Parses bash source. Every reference becomes a variable that the author's quotes around it cannot change, so a value
 * arrives byte for byte and is never source. Everything else is left to bash.
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
