/**
 * Files among these that builds write: a build takes a newer one for current, and does not make it again from its
 * source. `wasIgnored` names the files that the rules of an earlier commit ignore: of these, programs and the folders
 * of builds count too.
 */
export function builtFiles(
  added: readonly { readonly path: string; readonly mode: string }[],
  wasIgnored: ReadonlySet<string>,
): readonly string[] {
  return added
    .filter(
      ({ path, mode }) =>
        isObject.test(path) ||
        (wasIgnored.has(path) && (inBuild.test(path) || (mode === "100755" && !/\.[^/]*$/.test(path)))),
    )
    .map(({ path }) => path);
}

const isObject =
  /\.(?:o|obj|a|lo|la|so|dylib|gch|pch|class|beam|hi|cm[iox]|cmxa|rlib|rmeta|tsbuildinfo|ninja_deps)$|(?:^|\/)\.(?:turbo\/|[^/]*cache)/;
/** A folder of such a name among sources is code. */
const inBuild =
  /^(?:(?!(?:src|lib|app)\/)[^/]+\/)*?(?:dist|build|out|output|target|_build|bin|obj|debug|release|cmake-build-[^/]*|\.(?:next|nuxt|turbo|nx|cache|parcel-cache|gradle|tap)|[^/]*cache[^/]*)\//i;
