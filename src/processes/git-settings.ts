import { basename, join } from "node:path";
import { modulesBelow, repositoryOf } from "./git-folders.ts";
import { type OddBefore, recordOdd, removeNewOdd } from "./git-leftovers.ts";
import { disarmNew, type NestedBefore, nestedBelow, recordNested } from "./nested-repositories.ts";
import { isPlainFile } from "./path-kind.ts";
import { takeAll, unlockPath } from "./remove-all.ts";
import { recordSettingsFiles, removeNewSettings, type SettingsFile } from "./replaced-settings.ts";

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

/** What the repositories in which a program works had of all that leads git to programs, before it started. */
export interface SettingsBefore {
  /** Folders that the program may have locked. */
  readonly places: readonly string[];
  readonly nested: readonly NestedBefore[];
  readonly odd: OddBefore;
  readonly files: readonly SettingsFile[];
}

/** Records this for the repositories of these folders. */
export function recordSettings(folders: readonly string[]): SettingsBefore {
  const repositories = folders.map(repositoryOf).filter((repository) => repository !== undefined);
  const own = [...new Set(repositories.flatMap((each) => [each.own, each.common]))];
  const tops = [...new Set(repositories.map(({ top }) => top))];
  const settings = folders
    .flatMap(settingsPlaces)
    .filter((path) => /^config(\.worktree)?$/.test(basename(path)));
  return {
    places: [...new Set([...tops, ...own])],
    nested: tops.map(recordNested),
    odd: recordOdd(own),
    files: recordSettingsFiles([...new Set(settings)]),
  };
}

/** What was removed or disarmed. */
export interface Refused {
  /** Names of settings. */
  readonly settings: readonly string[];
  /** Files, and repositories. */
  readonly paths: readonly string[];
}

/**
 * Removes the settings that were added since, and new links, pipes and locks of git; disarms nested repositories that
 * were added to the index.
 */
export function refuseNew({ places, nested, odd, files }: SettingsBefore): Refused {
  for (const place of places) unlockPath(place);
  let settings: readonly string[] = [];
  const disarmed: string[] = [];
  takeAll([
    () => removeNewOdd(odd),
    () => {
      settings = removeNewSettings(files);
    },
    ...nested.map((each) => () => void disarmed.push(...disarmNew(each))),
  ]);
  return { settings, paths: disarmed };
}
