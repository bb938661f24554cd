import { platform } from "node:process";
import picomatch from "picomatch";

/**
 * Returns a function that tests whether a path matches a glob. Names may start with a dot or contain line feeds. With
 * `nocase`, it also matches names that some file system considers equal: macOS and Windows ignore case, and more.
 */
export function matchGlobs(globs: readonly string[], { nocase }: { readonly nocase: boolean }) {
  const isMatch = picomatch([...globs], { dot: true, flags: nocase ? "is" : "s" });
  return nocase ? (path: string) => isMatch(path) || isMatch(folded(path)) : (path: string) => isMatch(path);
}

/** The same for globs that people write: relative to the project's folder, and `test/` stands for all files in it. */
export function matchProjectGlobs(globs: readonly string[]): (path: string) => boolean {
  const nocase = platform === "darwin" || platform === "win32";
  const patterns = globs.map((glob) => glob.replace(/^(\.?\/)+/, "").replace(/\/$/, "/**"));
  return matchGlobs(patterns, { nocase });
}

/**
 * A path as macOS and Windows may interpret it: without invisible characters, with plain letters instead of variants
 * such as the long s, with `/` instead of `\`, and without dots and spaces at the end of names.
 */
const folded = (path: string): string =>
  path
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .replaceAll("\\", "/")
    .replace(/(?<=[^./])[. ]+(?=\/|$)/g, "");
