import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { git, readable } from "../git/git.ts";
import { matchGlobs } from "./match-globs.ts";

/** A kind of file that lists a repository's packages, and the manifest that each package has. */
interface Workspaces {
  readonly file: string;
  readonly manifest: string;
  /** The globs of the packages' folders; throws if the file is invalid. */
  globs(text: string): readonly string[];
}

const strings = z.array(z.string());
const npm = z.object({ workspaces: z.union([strings, z.object({ packages: strings })]).optional() });
const pnpm = z.object({ packages: strings.optional() });
const cargo = z.object({
  workspace: z.object({ members: strings.default([]), exclude: strings.default([]) }).optional(),
});

const kinds: readonly Workspaces[] = [
  {
    file: "pnpm-workspace.yaml",
    manifest: "package.json",
    globs: (text) => pnpm.parse(parseYaml(text)).packages ?? [],
  },
  {
    file: "package.json",
    manifest: "package.json",
    globs(text) {
      const { workspaces = [] } = npm.parse(JSON.parse(text));
      return "packages" in workspaces ? workspaces.packages : workspaces;
    },
  },
  {
    file: "go.work",
    manifest: "go.mod",
    globs: (text) => [...text.matchAll(/^\s*(?:use\s+)?(\.{1,2}[^\s()]*)/gm)].map(([, path = ""]) => path),
  },
  {
    file: "Cargo.toml",
    manifest: "Cargo.toml",
    globs(text) {
      const { members = [], exclude = [] } = cargo.parse(parseToml(text)).workspace ?? {};
      return [...members, ...exclude.map((glob) => `!${glob}`)];
    },
  },
];

/** Why no list of packages can be made. */
export class PackagesError extends Error {
  override readonly name = "PackagesError";
}

/**
 * The folders of a repository's packages according to its workspace files (npm, yarn, pnpm, Go, Cargo); with `since`,
 * only those in which a tracked file has changed since this commit. Sorted, relative to the repository's top.
 */
export async function findPackages(cwd: string, since: string | undefined): Promise<readonly string[]> {
  const tracked = await pathsOf(
    cwd,
    ["ls-files", "-z", "--full-name"],
    "these are no files of a git repository",
  );
  const lists = await Promise.all(kinds.map((kind) => foldersOf(kind, cwd, tracked)));
  const folders = [...new Set(lists.flat())].toSorted();
  if (folders.length === 0)
    throw new PackagesError(
      `no file lists packages here: there must be one of ${kinds.map(({ file }) => file).join(", ")} at the top of the repository`,
    );
  if (since === undefined) return folders;
  const changed = await pathsOf(
    cwd,
    ["diff", "--name-only", "--no-renames", "-z", `${since}...HEAD`, "--"],
    `nothing can be compared with \`${since}\`: check out with \`fetch-depth: 0\`, and name a branch or commit that exists`,
  );
  return folders.filter((folder) => changed.some((path) => path.startsWith(`${folder}/`)));
}

async function foldersOf(
  { file, manifest, globs }: Workspaces,
  cwd: string,
  tracked: readonly string[],
): Promise<readonly string[]> {
  if (!tracked.includes(file)) return [];
  const listed = listedIn(file, await readFile(join(cwd, file), "utf8"), globs).map((glob) =>
    glob.replace(/^(!?)\.\//, "$1").replace(/\/+$/, ""),
  );
  const isPackage = matchGlobs(
    listed.filter((glob) => !glob.startsWith("!")),
    { nocase: false },
  );
  const isExcluded = matchGlobs(
    listed.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)),
    { nocase: false },
  );
  return tracked
    .filter((path) => path.endsWith(`/${manifest}`))
    .map((path) => path.slice(0, -manifest.length - 1))
    .filter((folder) => isPackage(folder) && !isExcluded(folder));
}

function listedIn(file: string, text: string, globs: Workspaces["globs"]): readonly string[] {
  try {
    return globs(text);
  } catch {
    throw new PackagesError(`${file} cannot be read as a list of packages`);
  }
}

async function pathsOf(cwd: string, args: readonly string[], otherwise: string): Promise<readonly string[]> {
  const { code, out } = await git({ cwd, args, accept: [0, 128, 129] });
  if (code !== 0) throw new PackagesError(otherwise);
  return readable(out).split("\0").filter(Boolean);
}
