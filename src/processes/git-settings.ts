import { existsSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { modulesBelow, repositoryOf } from "./git-folders.ts";
import { watchGitLeftovers } from "./git-leftovers.ts";
import { nestedBelow, watchNested } from "./nested-repositories.ts";
import { isPlainFile } from "./path-kind.ts";
import { removeAll, takeAll, unlockPath } from "./remove-all.ts";
import { watchSettings } from "./replaced-settings.ts";

/**
 * The files of a folder's repository that decide which programs git starts: settings, hooks, and the files that point
 * to them. The paths are absolute and may not exist. A program that can write to them runs code in the next process
 * that calls git there.
 */
export function settingsPlaces(folder: string): readonly string[] {
  const repository = repositoryOf(folder);
  if (repository === undefined) return [];
  const { top, own, common } = repository;
  const nested = nestedBelow(top);
  const owns = [...modulesBelow(join(common, "modules")), ...nested.map((each) => each.own)];
  const repositories = new Set([own, common, ...owns]);
  const names = ["config", "config.worktree", "hooks", "commondir", "gitdir"];
  const pointers = [top, ...nested.map(({ folder }) => folder)].map((at) => join(at, ".git"));
  return [
    ...pointers.filter(isPlainFile),
    ...[...repositories].flatMap((at) => names.map((name) => join(at, name))),
  ];
}

/**
 * The existing ones among these places, and the record of runs, in which programs may write only the artifacts. Creates
 * the hooks folder if it is missing, because a missing folder cannot be protected.
 */
export function gitSettings(folder: string): readonly string[] {
  const repository = repositoryOf(folder);
  if (repository === undefined) return [];
  const { own, common } = repository;
  try {
    mkdirSync(join(common, "hooks"), { recursive: true });
  } catch {
    // If we cannot write there, neither can they.
  }
  const records = [...new Set([own, common])].map((at) => join(at, "until-green"));
  return [...settingsPlaces(folder), ...records].filter((path) => existsSync(path));
}

/**
 * A missing file cannot be mounted read-only. Records which settings of these repositories, and which of the `others`,
 * are missing. The returned function removes those that were created since, and new links, pipes and locks of git; it
 * disarms nested repositories that were added to the index. It returns the names of the removed settings.
 */
export function refuseNewSettings(
  folders: readonly string[],
  others: readonly string[],
): () => readonly string[] {
  const repositories = folders.map(repositoryOf).filter((repository) => repository !== undefined);
  const paths = repositories.flatMap(({ own, common }) =>
    [own, common].flatMap((at) => ["commondir", "config.worktree"].map((name) => join(at, name))),
  );
  const missing = [...new Set([...paths, ...others])].filter((path) => !existsSync(path));
  const nested = [...new Set(repositories.map(({ top }) => top))].map((top) => watchNested(top));
  const removeLeftovers = watchGitLeftovers([
    ...new Set(repositories.flatMap(({ own, common }) => [own, common])),
  ]);
  const settings = folders
    .flatMap(settingsPlaces)
    .filter((path) => /^config(\.worktree)?$/.test(basename(path)));
  const removeSettings = watchSettings([...new Set(settings)]);
  const places = [...new Set(repositories.flatMap(({ top, own, common }) => [top, own, common]))];
  return () => {
    for (const place of places) unlockPath(place);
    let removed: readonly string[] = [];
    takeAll([
      removeLeftovers,
      ...missing.map((path) => () => removeAll(path)),
      () => {
        removed = removeSettings();
      },
      ...nested,
    ]);
    return removed;
  };
}
