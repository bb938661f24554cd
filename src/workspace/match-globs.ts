import picomatch from "picomatch";

/** Whether a path matches one of the globs. Names that begin with a dot match too, and names with line feeds. */
export const matchGlobs = (globs: readonly string[], { nocase }: { readonly nocase: boolean }) =>
  picomatch([...globs], { dot: true, flags: nocase ? "is" : "s" });
