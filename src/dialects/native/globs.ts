import { reportFault } from "../report-fault.ts";
import type { RawLoop } from "./raw-loop.ts";
import type { ReaderContext } from "./reader-context.ts";

/**
 * The globs under a key, with a warning for each that matches no file. `a, b` in one text is two globs if no file is
 * named so, as in the action's other lists.
 */
export function readGlobs(
  reader: ReaderContext,
  { fields, at }: RawLoop,
  key: "protect" | "allow",
): readonly string[] | undefined {
  const globs = fields[key];
  const find = reader.files.unmatchedGlobs;
  if (globs === undefined || find === undefined) return globs;
  const parts = globs.map(splitAtCommas);
  const unmatched = find([...globs, ...parts.flat()]);
  const isFound = (glob: string) => !unmatched.has(glob);
  return globs.flatMap((glob, index) => {
    const split = parts[index] ?? [];
    const meant = !isFound(glob) && split.some(isFound) ? split : [glob];
    for (const each of meant.filter((it) => !isFound(it))) {
      const message = `No file matches \`${each}\`, so \`${key}\` has no effect there yet.`;
      const near = unmatched.get(each);
      const hint =
        near === undefined
          ? "Check the path, unless such files are created later."
          : `Did you mean \`${near}\`?`;
      reportFault(reader, "GLOB_NO_MATCH", { message, at: [...at, key, index], hint, warning: true });
    }
    return meant;
  });
}

/** Splits at commas outside of braces, as in `{a,b}.txt`. */
const splitAtCommas = (text: string): readonly string[] =>
  text
    .split(/,(?![^{]*\})/)
    .map((part) => part.trim())
    .filter(Boolean);
