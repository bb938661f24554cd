import { existsSync, lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { entriesIn } from "./lenient-reads.ts";
import { readRegularFile } from "./regular-file.ts";

/** A folder, the top of its checkout, and git's folder if it is elsewhere, as for a linked worktree. */
export function withRepository(folder: string): readonly string[] {
  const repository = repositoryOf(folder);
  if (repository === undefined) return [folder];
  return repository.common.startsWith(`${repository.top}/`)
    ? [repository.top]
    : [repository.top, repository.common];
}

/** A checkout and its repository. */
export interface Repository {
  readonly top: string;
  /** The folder with this checkout's HEAD; `common` is the folder with its settings. */
  readonly own: string;
  readonly common: string;
}

/** The repository that contains a folder. */
export function repositoryOf(folder: string): Repository | undefined {
  for (let top = resolve(folder); ; top = dirname(top)) {
    if (existsSync(join(top, ".git"))) return repositoryAt(top);
    if (top === dirname(top)) return undefined;
  }
}

/** The repository whose checkout is at this folder. */
export const repositoryAt = (top: string): Repository => ({ top, ...foldersOf(join(top, ".git")) });

/** Git's folders of submodules below its folder `modules`; the name of a submodule may contain slashes. */
export function modulesBelow(folder: string, depth = 0): readonly string[] {
  if (depth > 6 || !existsSync(folder)) return [];
  const entries = entriesIn(folder);
  const isRepository = entries.some(({ name }) => name === "HEAD");
  const inner = entries.filter((entry) => entry.isDirectory() && (!isRepository || entry.name === "modules"));
  return [
    ...(isRepository ? [folder] : []),
    ...inner.flatMap(({ name }) => modulesBelow(join(folder, name), depth + 1)),
  ];
}

/** Checkouts a few levels below a folder, such as those of a job's other repositories. */
export function repositoriesBelow(folder: string, depth = 3): readonly string[] {
  const inner = entriesIn(folder).filter(
    (entry) => entry.isDirectory() && !/^(?:\.git|node_modules)$/.test(entry.name),
  );
  return inner.flatMap(({ name }) => {
    const path = join(folder, name);
    const own = existsSync(join(path, ".git")) ? [path] : [];
    return depth === 1 ? own : [...own, ...repositoriesBelow(path, depth - 1)];
  });
}

function foldersOf(git: string): { readonly own: string; readonly common: string } {
  const stat = lstatSync(git);
  if (!stat.isFile()) return { own: git, common: git };
  const named = /^gitdir: (.+)$/m.exec(readRegularFile(git) ?? "")?.[1];
  const own = named === undefined ? git : resolve(dirname(git), named);
  return { own, common: own.replace(/\/worktrees\/[^/]+$/, "") };
}
