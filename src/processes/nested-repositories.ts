import { isUtf8 } from "node:buffer";
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { settingsIn, settingsText, startsNoProgram } from "./git-config.ts";
import { gitEnvironment } from "./git-environment.ts";
import { type Repository, repositoryAt, repositoryOf } from "./git-folders.ts";
import { attempt } from "./lenient-reads.ts";
import { isFolder } from "./make-folder.ts";
import { mayNameRepositories } from "./named-repositories.ts";
import { isPlainFile, isThere } from "./path-kind.ts";
import { gitProgram } from "./program-path.ts";
import { readRegularFile } from "./regular-file.ts";
import { removeAll, takeAll, unlockBetween } from "./remove-all.ts";
import { replaceFile, replaceOwnFile } from "./replace-file.ts";

/** A repository in a folder of a checkout, such as a submodule. */
export interface Nested {
  readonly folder: string;
  /** Git's folder for it. */
  readonly own: string;
}

/** The repositories in a checkout at some moment. */
export interface NestedBefore {
  readonly folder: string;
  readonly top: string;
  readonly common: string;
  readonly known: readonly string[];
  /** Those whose names are not UTF-8. */
  readonly odd: readonly string[];
}

export function recordNested(folder: string): NestedBefore {
  // Find git before a program can put another one on PATH.
  gitProgram();
  const { nested, odd } = below(folder);
  const { top, common } = repositoryOf(folder) ?? { top: folder, common: folder };
  return { folder, top, common, known: nested.map(keyOf), odd };
}

/**
 * Disarms the repositories that were added to a checkout since, and returns their folders: `git status` in the checkout
 * enters each repository that the index names, and obeys its settings and hooks.
 */
export function disarmNew(before: NestedBefore, also?: "untracked"): readonly string[] {
  const [known, knownOdd] = [new Set(before.known), new Set(before.odd)];
  const disarmed: string[] = [];
  const { nested, odd } = below(before.folder, { also, unlocks: true });
  const newOdd = odd.filter((path) => !knownOdd.has(path));
  const come = nested.filter((each) => !known.has(keyOf(each)));
  takeAll([
    ...newOdd.map((path) => () => removeAll(Buffer.from(`${path}/.git`, "latin1"))),
    ...come.map((each) => () => void (disarm(each, before) && disarmed.push(each.folder))),
  ]);
  return disarmed;
}

const keyOf = ({ folder, own }: Nested) => `${folder}\0${own}`;

/** The repositories that a checkout's index names, and those inside them; without those whose names are not UTF-8. */
export const nestedBelow = (folder: string): readonly Nested[] => below(folder).nested;

interface Search {
  readonly also?: "untracked" | undefined;
  /**
   * True to make what a program of the run locked usable again: snapshots will, and then git obeys what is in there.
   */
  readonly unlocks?: boolean;
}

/**
 * `odd` are the folders of those whose names are not UTF-8, one character per byte. No setting can name such a folder.
 */
function below(folder: string, search: Search = {}) {
  const odd: string[] = [];
  const top = repositoryOf(folder);
  const repositories = new Map<string, Nested>();
  const visit = (repository: Repository) => {
    const names = namesBelow(repository, search);
    odd.push(...names.filter((name) => !isNamed(name)).map((name) => `${latin(repository.top)}/${name}`));
    for (const name of names.filter(isNamed)) {
      const nested = enter(repository, name, search.unlocks ? (top?.common ?? repository.common) : undefined);
      if (nested === undefined || repositories.has(nested.top)) continue;
      repositories.set(nested.top, { folder: nested.top, own: nested.own });
      visit(nested);
    }
  };
  if (top !== undefined) visit(top);
  return { nested: [...repositories.values()], odd };
}

const namesBelow = (repository: Repository, { also }: Search) => [
  ...gitlinksIn(repository),
  ...(also === undefined ? [] : untrackedIn(repository)),
];

const isNamed = (name: string) => isUtf8(Buffer.from(name, "latin1"));
const latin = (path: string) => Buffer.from(path).toString("latin1");

/** The repository in a folder of another one; `unlocked` is the folder with git's folders that are to be unlocked. */
function enter({ top }: Repository, name: string, unlocked: string | undefined): Repository | undefined {
  if (unlocked !== undefined) unlockBetween(top, `${name}/.git`);
  const nested = openAt(join(top, Buffer.from(name, "latin1").toString("utf8")));
  if (nested !== undefined && unlocked !== undefined) unlockRepository(nested, unlocked);
  return nested;
}

/** Unlocks git's folder of a nested repository and what git reads in it; `common` is the folder it may be in. */
function unlockRepository({ top, own }: Repository, common: string): void {
  const from = isBelow(own, [common]) ? common : top;
  const inside = latin(relative(from, own));
  if (inside.startsWith("..")) return;
  for (const name of ["index", "config", "hooks"]) unlockBetween(from, `${inside}/${name}`);
}

function openAt(folder: string): Repository | undefined {
  try {
    const top = realpathSync(folder);
    const repository = existsSync(join(top, ".git")) ? repositoryAt(top) : undefined;
    return repository !== undefined && isFolder(repository.own) ? repository : undefined;
  } catch {
    return undefined;
  }
}

/** By index file: its stamp, and the repositories it named. */
const known = new Map<string, { readonly stamp: string; readonly names: readonly string[] }>();

/** A larger index is left to git, because it does not fit into this process. */
const mostBytes = 2 ** 28;

/** The paths of the repositories that an index names (gitlinks). */
function gitlinksIn(repository: Repository): readonly string[] {
  const index = join(repository.own, "index");
  // A link that leads to itself has no state either.
  const stat = attempt(() => statSync(index, { bigint: true, throwIfNoEntry: false }));
  // Reading a pipe would block forever.
  if (stat?.isFile() !== true) return [];
  const stamp = [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(" ");
  const last = known.get(index);
  if (last?.stamp === stamp) return last.names;
  const mayName = stat.size > mostBytes || mayNameRepositories(readFileSync(index));
  const names = mayName ? listed(repository, ["--stage"], gitlink) : [];
  known.set(index, { stamp, names });
  return names;
}

const gitlink = /^160000 \w+ \d\t(.*)$/s;

/** The repositories that `git add --all` would add to the index. */
const untrackedIn = (repository: Repository) =>
  listed(repository, ["--others", "--exclude-standard"], /^(.*)\/$/s);

const longestListMs = 30_000;

/** What `git ls-files` lists for a checkout, one character per byte. Starts no program the repository configures. */
function listed({ top, own }: Repository, args: readonly string[], line: RegExp): readonly string[] {
  const plain = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*"];
  const { stdout } = spawnSync(gitProgram(), [...plain, "ls-files", "-z", ...args], {
    cwd: top,
    env: { ...gitEnvironment(top), GIT_DIR: own, GIT_WORK_TREE: top },
    encoding: "latin1",
    maxBuffer: 2 ** 30,
    // It may block at a pipe. Then any other git does too, and starts nothing that such a repository configures.
    timeout: longestListMs,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return (stdout ?? "").split("\0").flatMap((text) => line.exec(text)?.[1] ?? []);
}

/** Removes everything from a repository that could start a program; returns whether there was anything. */
function disarm({ folder, own }: Nested, { top, common }: Pick<Repository, "top" | "common">): boolean {
  if (!isBelow(own, [top, common])) {
    // Its git folder is outside the checkout: remove only the pointer to it.
    const isOurs = isBelow(folder, [top]);
    if (isOurs) removeAll(join(folder, ".git"));
    return isOurs;
  }
  // A worktree of the checkout's own repository shares its settings, which are protected.
  if (own.startsWith(`${common}/worktrees/`)) replaceOwnFile(join(own, "commondir"), "../..\n");
  else removeAll(join(own, "commondir"));
  const config = join(own, "config");
  const isFile = isPlainFile(config);
  const settings = isFile ? settingsIn(readRegularFile(config) ?? unreadable) : undefined;
  const kept = settings?.filter(({ name }) => startsNoProgram(name)) ?? [];
  const odd = ["hooks", "config.worktree"].filter((name) => !hasSamplesOnly(join(own, name)));
  if (odd.length === 0 && (settings?.length === kept.length || !isThere(config))) return false;
  for (const name of [...odd, ...(isFile ? [] : ["config"])]) removeAll(join(own, name));
  replaceFile(config, settingsText(kept.map(({ name, value }) => [name, value] as const)));
  return true;
}

/** No text of settings. */
const unreadable = "[";

const isBelow = (path: string, folders: readonly string[]) =>
  folders.some((folder) => realOf(path)?.startsWith(`${realOf(folder) ?? path}/`) === true);

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** True for a hooks folder as `git init` creates it, or for none. */
const hasSamplesOnly = (path: string) =>
  !isThere(path) ||
  (lstatSync(path).isDirectory() && readdirSync(path).every((name) => name.endsWith(".sample")));
