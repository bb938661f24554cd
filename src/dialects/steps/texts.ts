import type { SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import type { ReaderContext } from "./reader-context.ts";

type Reader = Pick<ReaderContext, "faults" | "files">;

const variables = /\$\$|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g;

/**
 * Replaces `${NAME}` and `$NAME` by environment variables, empty if not set, and `$$` by `$`. If the environment is
 * unknown, the text stays unchanged.
 */
export function withEnvironment(reader: Reader, text: string, at: SourcePath): string {
  const { environment } = reader.files;
  if (environment === undefined) {
    const first = text.match(variables)?.find((written) => written !== "$$");
    if (first !== undefined) warn(reader, `\`${first}\` stays as written.`, at);
    return text;
  }
  const unset = new Set<string>();
  const filled = text.replace(variables, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    if (name === undefined) return "$";
    const value = environment(name);
    if (value === undefined) unset.add(name);
    return value ?? "";
  });
  for (const name of unset) warn(reader, `The variable ${name} is not set, or is a secret: it is empty.`, at);
  return filled;
}

function warn(reader: Reader, message: string, at: SourcePath): void {
  reportFault(reader, "UNKNOWN_REFERENCE", { message, at, warning: true });
}

const longestChain = 20;

/** A text with its variables filled in, or the text of the file named by `@path`, which may be another `@path`. */
export function readTextOrFile(reader: Reader, written: string, at: SourcePath): string | undefined {
  const seen: string[] = [];
  let text = withEnvironment(reader, written, at);
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
  return seen.length === 0 ? text : withEnvironment(reader, text, at);
}

function refusal(path: string, seen: readonly string[]): string | undefined {
  if (seen.includes(path)) return `These files name each other: ${[...seen, path].join(" → ")}.`;
  return seen.length >= longestChain ? `More than ${longestChain} files name each other in turn.` : undefined;
}
