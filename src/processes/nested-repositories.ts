import { isUtf8 } from "node:buffer";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { settingsIn, settingsText, startsNoProgram } from "./git-config.ts";
import { type Repository, repositoryAt, repositoryOf } from "./git-folders.ts";
import { isThere } from "./path-kind.ts";
import { gitProgram, pathOutside } from "./program-path.ts";
import { replaceFile } from "./replace-file.ts";

/** A repository in a folder of a checkout, such as a submodule. */
export interface Nested {
  readonly folder: string;
  /** Git's folder for it. */
  readonly own: string;
}

/**
 * Records the repositories in a checkout. The returned function disarms those that were added since, and returns their
 * folders: `git status` in the checkout enters each repository that the index names, and obeys its settings and hooks.
 */
export function watchNested(folder: string): (also?: "untracked") => readonly string[] {
  // Find git before a program can put another one on PATH.
  gitProgram();
  const before = new Set(nestedBelow(folder).map(keyOf));
  const oddBefore = new Set(oddlyNamed(folder));
  const { top, common } = repositoryOf(folder) ?? { top: folder, common: folder };
  return (also) => {
    for (const path of oddlyNamed(folder, also)) {
      if (!oddBefore.has(path))
        rmSync(Buffer.from(`${path}/.git`, "latin1"), { recursive: true, force: true });
    }
    const come = nestedBelow(folder, also).filter((nested) => !before.has(keyOf(nested)));
    return come.filter((nested) => disarm(nested, { top, common })).map((nested) => nested.folder);
  };
}

const keyOf = ({ folder, own }: Nested) => `${folder}\0${own}`;

/** The repositories that a checkout's index names, and those inside them; without those whose names are not UTF-8. */
export const nestedBelow = (folder: string, also?: "untracked"): readonly Nested[] =>
  below(folder, also).nested;

/** The folders of those whose names are not UTF-8, one character per byte. No setting can name such a folder. */
const oddlyNamed = (folder: string, also?: "untracked") => below(folder, also).odd;

function below(folder: string, also?: "untracked") {
  const odd: string[] = [];
  const top = repositoryOf(folder);
  const repositories = new Map<string, Nested>();
  const visit = (repository: Repository) => {
    const names = [...gitlinksIn(repository), ...(also === undefined ? [] : untrackedIn(repository))];
    for (const name of names) {
      if (!isUtf8(Buffer.from(name, "latin1"))) {
        odd.push(`${Buffer.from(repository.top).toString("latin1")}/${name}`);
        continue;
      }
      const nested = openAt(join(repository.top, Buffer.from(name, "latin1").toString("utf8")));
      if (nested === undefined || repositories.has(nested.top)) continue;
      repositories.set(nested.top, { folder: nested.top, own: nested.own });
      if (repositories.size < mostVisited) visit(nested);
    }
  };
  if (top !== undefined) visit(top);
  return { nested: [...repositories.values()], odd };
}

const mostVisited = 200;

function openAt(folder: string): Repository | undefined {
  try {
    const top = realpathSync(folder);
    return existsSync(join(top, ".git")) ? repositoryAt(top) : undefined;
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
  const stat = statSync(index, { bigint: true, throwIfNoEntry: false });
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

/**
 * Whether an index may name repositories: it contains git's mode for them, or the name of a shared index, which holds a
 * part of the entries. Other bytes can look the same.
 */
export const mayNameRepositories = (index: Buffer): boolean => index.includes(mode) || index.includes(shared);
const mode = Buffer.from([0x00, 0x00, 0xe0, 0x00]);
/** The `link` extension and the first byte of its length. */
const shared = Buffer.from("link\0");
const gitlink = /^160000 \w+ \d\t(.*)$/s;

/** The repositories that `git add --all` would add to the index. */
const untrackedIn = (repository: Repository) =>
  listed(repository, ["--others", "--exclude-standard"], /^(.*)\/$/s);

const longestListMs = 30_000;

/** What `git ls-files` lists for a checkout, one character per byte. Starts no program the repository configures. */
function listed({ top, own }: Repository, args: readonly string[], line: RegExp): readonly string[] {
  const path = pathOutside(top, env["PATH"]);
  const plain = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*"];
  const { stdout } = spawnSync(gitProgram(), [...plain, "ls-files", "-z", ...args], {
    cwd: top,
    env: { PATH: path, GIT_DIR: own, GIT_WORK_TREE: top, GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" },
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
    if (isOurs) rmSync(join(folder, ".git"), { recursive: true, force: true });
    return isOurs;
  }
  // A worktree of the checkout's own repository shares its settings, which are protected.
  if (own.startsWith(`${common}/worktrees/`)) writeFileSync(join(own, "commondir"), "../..\n");
  else rmSync(join(own, "commondir"), { recursive: true, force: true });
  const config = join(own, "config");
  const isFile = lstatSync(config, { throwIfNoEntry: false })?.isFile() === true;
  const settings = isFile ? settingsIn(readFileSync(config, "utf8")) : undefined;
  const kept = settings?.filter(({ name }) => startsNoProgram(name)) ?? [];
  const odd = ["hooks", "config.worktree"].filter((name) => !hasSamplesOnly(join(own, name)));
  if (odd.length === 0 && (settings?.length === kept.length || !isThere(config))) return false;
  for (const name of [...odd, ...(isFile ? [] : ["config"])])
    rmSync(join(own, name), { recursive: true, force: true });
  replaceFile(config, settingsText(kept.map(({ name, value }) => [name, value] as const)));
  return true;
}

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
