import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** A folder, the top of its checkout, and git's folder if that is elsewhere, as for a linked work tree. */
export function withRepository(folder: string): readonly string[] {
  const found = repositoryOf(folder);
  if (found === undefined) return [folder];
  return found.common.startsWith(`${found.top}/`) ? [found.top] : [found.top, found.common];
}

/**
 * What of the repository that a folder lies in decides which programs git starts, in absolute paths that may not exist:
 * settings, hooks, and what leads to them. A program that can write them runs code in the next process that calls git there.
 */
export function settingsPlaces(folder: string): readonly string[] {
  const found = repositoryOf(folder);
  if (found === undefined) return [];
  const { top, own, common } = found;
  const repositories = [...new Set([own, common]), ...modulesBelow(join(common, "modules"), 0)];
  const names = ["config", "config.worktree", "hooks", "commondir", "gitdir"];
  const pointer = lstatSync(join(top, ".git")).isFile() ? [join(top, ".git")] : [];
  return [...pointer, ...repositories.flatMap((at) => names.map((name) => join(at, name)))];
}

/**
 * Those of these places that are there, and the record of runs, of which others write the artifacts only. Makes the
 * folder of the hooks if there is none, as it could not be kept from being made.
 */
export function gitSettings(folder: string): readonly string[] {
  const found = repositoryOf(folder);
  if (found === undefined) return [];
  const { own, common } = found;
  try {
    mkdirSync(join(common, "hooks"), { recursive: true });
  } catch {
    // Where we cannot write, neither can they.
  }
  const records = [...new Set([own, common])].map((at) => join(at, "until-green"));
  return [...settingsPlaces(folder), ...records].filter((path) => existsSync(path));
}

/**
 * Remembers which of these files the repositories of folders do not have, as what is not there cannot be mounted
 * read-only; the answer removes those that a program has made meanwhile.
 */
export function refuseNewSettings(folders: readonly string[]): () => void {
  const repositories = folders.map(repositoryOf).filter((found) => found !== undefined);
  const paths = repositories.flatMap(({ own, common }) =>
    [own, common].flatMap((at) => ["commondir", "config.worktree"].map((name) => join(at, name))),
  );
  const missing = [...new Set(paths)].filter((path) => !existsSync(path));
  return () => {
    for (const path of missing) rmSync(path, { recursive: true, force: true });
  };
}

interface Repository {
  readonly top: string;
  /** Where this checkout keeps its HEAD; `common` is where it keeps its settings. */
  readonly own: string;
  readonly common: string;
}

function repositoryOf(folder: string): Repository | undefined {
  for (let top = resolve(folder); ; top = dirname(top)) {
    const git = join(top, ".git");
    if (existsSync(git)) return { top, ...foldersOf(git) };
    if (top === dirname(top)) return undefined;
  }
}

function foldersOf(git: string): { readonly own: string; readonly common: string } {
  const stat = lstatSync(git);
  if (!stat.isFile()) return { own: git, common: git };
  const named = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8"))?.[1];
  const own = named === undefined ? git : resolve(dirname(git), named);
  return { own, common: own.replace(/\/worktrees\/[^/]+$/, "") };
}

/** Git's folders of submodules; a submodule's name may have slashes in it. */
function modulesBelow(folder: string, depth: number): readonly string[] {
  if (depth > 6 || !existsSync(folder)) return [];
  const entries = entriesOf(folder);
  const isRepository = entries.some(({ name }) => name === "HEAD");
  const inner = entries.filter((entry) => entry.isDirectory() && (!isRepository || entry.name === "modules"));
  return [
    ...(isRepository ? [folder] : []),
    ...inner.flatMap(({ name }) => modulesBelow(join(folder, name), depth + 1)),
  ];
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
