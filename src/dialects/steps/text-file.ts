import type { Files } from "../dialect.ts";
import type { SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import type { ReaderContext } from "./reader-context.ts";

const longestChain = 20;

/** A text, or the text of the file named by `@path`, which may be another `@path`. */
export function readTextOrFile(
  reader: Pick<ReaderContext, "faults"> & { readonly files: Files },
  written: string,
  at: SourcePath,
): string | undefined {
  const seen: string[] = [];
  let text = written;
  while (/^@[^\s@]+\s*$/.test(text)) {
    const path = text.slice(1).trim();
    const fault = refusal(path, seen);
    const file = fault === undefined ? reader.files.text?.(path) : undefined;
    if (file === undefined) {
      const message = fault ?? `The file \`${path}\` does not exist, or is outside the checkout.`;
      return reportFault(reader, "BAD_VALUE", { message, at });
    }
    seen.push(path);
    text = file;
  }
  return text;
}

function refusal(path: string, seen: readonly string[]): string | undefined {
  if (seen.includes(path)) return `These files name each other: ${[...seen, path].join(" → ")}.`;
  return seen.length >= longestChain ? `More than ${longestChain} files name each other in turn.` : undefined;
}
