import { dirname, join, resolve } from "node:path";
import type { Launch } from "../ports/isolation.ts";
import { withRepository } from "./git-folders.ts";
import { entriesIn, textIn } from "./lenient-reads.ts";
import { isIn } from "./mounts.ts";
import { isThere } from "./path-kind.ts";

/** A path outside a checkout that one of its manifests names. */
interface Neighbour {
  readonly manifest: string;
  readonly path: string;
}

/** The existing paths outside these folders that manifests in the first one name, each once. */
function neighboursOf(folders: readonly string[]): readonly Neighbour[] {
  const [checkout = "/"] = folders;
  const found = manifestsIn(checkout, 3).flatMap((manifest) =>
    pathsIn(manifest)
      .map((path) => ({ manifest, path: resolve(dirname(manifest), path) }))
      .filter(({ path }) => !folders.some((folder) => isIn(path, folder)) && isThere(path)),
  );
  return [...new Map(found.map((each) => [each.path, each])).values()];
}

/** Manifests, and how each names another folder; paths without `../` lie in its own. */
const manifests: readonly (readonly [name: RegExp, path: RegExp])[] = [
  [/^package\.json$/, /"(?:file|link|portal):(\.\.\/[^"]+)"/g],
  [/^(?:package\.json|pnpm-workspace\.yaml)$/, /["'](\.\.\/[^"'*]+?)(?:\/\*+)?["']/g],
  [/^go\.mod$/, /=>\s*(\.\.\/\S+)/g],
  [/^go\.work$/, /^\s*(?:use\s+)?(\.\.\/\S+)/gm],
  [/^Cargo\.toml$/, /\bpath\s*=\s*["'](\.\.\/[^"']+)["']/g],
  [/^requirements.*\.(?:txt|in)$/, /^\s*(?:-e|--editable|-r|-c)?[\s=]*(?:file:)?(\.\.\/[^\s[;#]+)/gm],
  [/^(?:pyproject|Pipfile)(?:\.toml)?$/, /\b(?:path|url)\s*=\s*["'](?:file:)?(\.\.\/[^"']+)["']/g],
  [/^[jt]sconfig.*\.json$/, /"(?:path|extends)"\s*:\s*"(\.\.\/[^"]+)"/g],
  [/^settings\.gradle(?:\.kts)?$/, /(?:includeBuild|file)\s*\(?\s*["'](\.\.\/[^"']+)["']/g],
  [
    /^pubspec\.yaml$|^Gemfile$|^composer\.json$|^mix\.exs$/,
    /\b(?:path|url)"?\s*[:=]>?\s*["']?(\.\.\/[^\s"',]+)/g,
  ],
];

function pathsIn(manifest: string): readonly string[] {
  const name = manifest.slice(dirname(manifest).length + 1);
  const patterns = manifests.filter(([file]) => file.test(name));
  const text = patterns.length === 0 ? "" : textIn(manifest);
  return patterns.flatMap(([, path]) => [...text.matchAll(path)].map(([, named = ""]) => named));
}

function manifestsIn(folder: string, depth: number): readonly string[] {
  return entriesIn(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return manifests.some(([name]) => name.test(entry.name)) ? [path] : [];
    const isOwn = entry.isDirectory() && !/^(?:\.|node_modules$|vendor$|target$|venv$)/.test(entry.name);
    return isOwn && depth > 0 ? manifestsIn(path, depth - 1) : [];
  });
}

/** What the manifests of a checkout name and a program will not see, and the line that changes it. */
export function absentNeighbours(
  { readable = [], writable: own = [] }: Launch,
  writable: readonly string[],
): string | undefined {
  const [checkout = "/"] = writable;
  const seen = [...writable, ...own, ...readable].flatMap(withRepository);
  const neighbours = neighboursOf([checkout, ...seen]);
  const [first] = neighbours;
  if (first === undefined) return undefined;
  const few = neighbours.slice(0, 5).map(({ path }) => path);
  const manifest = first.manifest.slice(checkout.length + 1);
  return `${manifest} names ${few.join(", ")} outside this repository, which programs behind the file wall do not see: add \`show: [${few.join(", ")}]\` to the workflow, or --show`;
}
