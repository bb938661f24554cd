import { readdirSync } from "node:fs";
import { join } from "node:path";
import { lazyModule } from "../ports/lazy-module.ts";
import { nearestWord } from "../ports/nearest-word.ts";

const matcher = lazyModule(() => import("../workspace/match-globs.ts"));

/** A larger project is not searched to its end: nothing is said about its globs then. */
const mostEntries = 100_000;

/** The globs that match no file below a folder, each with a similar one that does, if there is one. */
export function unmatchedGlobs(
  globs: readonly string[],
  cwd: string,
): ReadonlyMap<string, string | undefined> {
  const { matchProjectGlobs } = matcher.get();
  const left = new Map(globs.map((glob) => [glob, matchProjectGlobs([glob])]));
  const skipped = globs.some((glob) => glob.includes("node_modules")) ? [".git"] : [".git", "node_modules"];
  const paths = { folders: [""], files: [] as string[] };
  for (const folder of paths.folders) {
    if (left.size === 0) return new Map();
    if (paths.folders.length + paths.files.length > mostEntries) return new Map();
    const entries = entriesOf(join(cwd, folder)).filter((entry) => !skipped.includes(entry.name));
    const inner = entries.filter((entry) => entry.isDirectory());
    const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => `${folder}${name}`);
    for (const { name } of inner) paths.folders.push(`${folder}${name}/`);
    for (const path of files) paths.files.push(path);
    for (const [glob, isMatch] of left) if (files.some(isMatch)) left.delete(glob);
  }
  return new Map([...left.keys()].map((glob) => [glob, similar(glob, paths)]));
}

interface Paths {
  /** Each ends with a slash; the first one is empty. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

function similar(glob: string, paths: Paths): string | undefined {
  const { matchProjectGlobs } = matcher.get();
  const corrected = correct(glob.split("/"), paths);
  return [`${glob}/**`, `**/${glob}`, corrected, `${corrected}/**`].find((candidate) =>
    paths.files.some(matchProjectGlobs([candidate])),
  );
}

/** Replaces each name that does not exist by the most similar one of the same folder. */
function correct([first = "", ...rest]: readonly string[], { folders, files }: Paths): string {
  if (first === "" || /[*?[{(!]/.test(first)) return [first, ...rest].join("/");
  const names = [...folders, ...files].map((path) => path.split("/")[0] ?? "").filter(Boolean);
  const name = names.includes(first) ? first : (nearestWord(first, new Set(names)) ?? first);
  if (rest.length === 0) return name;
  const below = (path: string) => (path.startsWith(`${name}/`) ? [path.slice(name.length + 1)] : []);
  const inner = { folders: folders.flatMap(below), files: files.flatMap(below) };
  return `${name}/${correct(rest, inner)}`;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
