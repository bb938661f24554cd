import type { SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import type { ReaderContext } from "./reader-context.ts";

/**
 * Replaces `${NAME}` by environment variables, empty if not set, and `$$` by `$`. If the environment is unknown, the
 * text stays unchanged.
 */
export function withEnvironment(
  reader: Pick<ReaderContext, "faults" | "files">,
  text: string,
  at: SourcePath,
): string {
  const { environment } = reader.files;
  const [, first] = /\$\{([A-Za-z_]\w*)\}/.exec(text) ?? [];
  if (environment === undefined) {
    if (first !== undefined) warn(reader, `\`\${${first}}\` stays as written.`, at);
    return text;
  }
  const unset = new Set<string>();
  const filled = text.replace(/\$\$|\$\{([A-Za-z_]\w*)\}/g, (_, name: string | undefined) => {
    if (name === undefined) return "$";
    const value = environment(name);
    if (value === undefined) unset.add(name);
    return value ?? "";
  });
  for (const name of unset) warn(reader, `The variable ${name} is not set, or is a secret: it is empty.`, at);
  return filled;
}

function warn({ faults }: Pick<ReaderContext, "faults">, message: string, at: SourcePath): void {
  reportFault({ faults }, "UNKNOWN_REFERENCE", { message, at, warning: true });
}
