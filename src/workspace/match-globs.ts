import picomatch from "picomatch";

/**
 * Whether a path matches one of the globs. Names that begin with a dot match too, and names with line feeds. With
 * `nocase` also names that some file system takes for the same: those of macOS and Windows ignore case, and more.
 */
export function matchGlobs(globs: readonly string[], { nocase }: { readonly nocase: boolean }) {
  const isMatch = picomatch([...globs], { dot: true, flags: nocase ? "is" : "s" });
  return nocase ? (path: string) => isMatch(path) || isMatch(folded(path)) : (path: string) => isMatch(path);
}

/**
 * A path as macOS and Windows may read it: without invisible characters, with plain letters for their variants, such as
 * the long s, with `/` for `\`, and without dots and blanks at the end of names.
 */
const folded = (path: string): string =>
  path
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .replaceAll("\\", "/")
    .replace(/(?<=[^./])[. ]+(?=\/|$)/g, "");
