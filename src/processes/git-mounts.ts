import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { type GitSetting, settingsIn, settingsText } from "./git-config.ts";
import { gitEnvironment } from "./git-environment.ts";
import { repositoryOf } from "./git-folders.ts";
import { settingsPlaces } from "./git-settings.ts";
import { attempt, textIn } from "./lenient-reads.ts";
import { isFolder, makeFolder } from "./make-folder.ts";
import { isIn, type Mount } from "./mounts.ts";
import { isPlainFile, isThere } from "./path-kind.ts";
import type { PrivateFolder } from "./private-folder.ts";
import { gitProgram } from "./program-path.ts";
import { removeAll } from "./remove-all.ts";

/**
 * What a program sees of git's settings in a folder: it may read them, without passwords, and cannot change what git
 * would obey outside. The record of runs is empty.
 */
export function gitMounts(folder: string, copies: PrivateFolder): readonly Mount[] {
  const repository = repositoryOf(folder);
  if (repository === undefined) return [];
  const { top, own, common } = repository;
  attempt(() => mkdirSync(join(common, "hooks"), { recursive: true }));
  const records = [...new Set([own, common])]
    .map((at) => join(at, "until-green"))
    .filter((path) => isFolder(attempt(() => makeFolder(path)) ?? path))
    .map((path): Mount => ({ path, kind: "empty" }));
  const { files, hooks } = namedBySettings(top);
  // A missing folder of hooks cannot be mounted.
  for (const path of hooks) if (!existsSync(path)) attempt(() => mkdirSync(path, { recursive: true }));
  const settings = [...settingsPlaces(folder), ...files, ...hooks].filter(existsSync);
  return [
    ...settings.map((path) => (isSettings(path) ? settingsMount(path, copies) : readOnly(path))),
    ...records,
    ...borrowed(join(common, "objects")).map(readOnly),
  ];
}

const readOnly = (path: string): Mount => ({ path, kind: "read" });

const isSettings = (path: string) => /^config(\.worktree)?$/.test(basename(path));

/** A mount of a settings file without its passwords. */
export function settingsMount(path: string, copies: PrivateFolder): Mount {
  return { path, kind: "read", source: copies.file(withoutKeys(path)) };
}

/** The files that git would read if they existed; they are created for as long as a program works. */
export function missingSettings(folder: string): readonly (readonly [path: string, content: string])[] {
  const repository = repositoryOf(folder);
  if (repository === undefined || !existsSync(join(repository.own, "HEAD"))) return [];
  const { top, own, common } = repository;
  return [
    ...[...new Set([own, common])].flatMap((at) => [
      // It says what is so without it, too: this folder has the settings.
      [join(at, "commondir"), ".\n"] as const,
      [join(at, "config.worktree"), ""] as const,
    ]),
    ...namedBySettings(top).files.map((path) => [path, ""] as const),
  ];
}

/** Removes what stands for missing files, after a kill. */
export function removePlaceholders(gitDir: string): void {
  for (const [name, content] of [
    ["commondir", ".\n"],
    ["config.worktree", ""],
  ] as const) {
    const path = join(gitDir, name);
    // A folder with objects of its own has no other with settings.
    const isOdd = name === "commondir" && isThere(path) && isThere(join(gitDir, "objects"));
    if (isOdd || (isPlainFile(path) && textIn(path) === content)) removeAll(path);
  }
}

const held = new Map<string, number>();

/** Creates these files unless they exist. The returned function removes them with the last program of this process. */
export function holdMissing(files: readonly (readonly [path: string, content: string])[]): () => void {
  const taken = files.filter(([path, content]) => {
    const count = held.get(path) ?? 0;
    const isOurs = count > 0 || attempt(() => writeFileSync(path, content, { flag: "wx" }) ?? true) === true;
    if (isOurs) held.set(path, count + 1);
    return isOurs;
  });
  return () => {
    for (const [path] of taken.splice(0)) {
      const count = (held.get(path) ?? 1) - 1;
      held.set(path, count);
      // Whatever it holds by now.
      if (count === 0) removeAll(path);
    }
  };
}

interface Named {
  readonly files: readonly string[];
  readonly hooks: readonly string[];
}

/** The files in a checkout that git's settings include, and its folder of hooks if settings name one there. */
function namedBySettings(top: string): Named {
  const settings = join(repositoryOf(top)?.common ?? join(top, ".git"), "config");
  const { size = 0, mtimeMs = 0 } = attempt(() => statSync(settings)) ?? {};
  const key = `${settings} ${size} ${mtimeMs}`;
  const known = named.get(key) ?? findNamed(top);
  named.set(key, known);
  return known;
}

const named = new Map<string, Named>();

function findNamed(top: string): Named {
  const { GIT_CONFIG_GLOBAL: _, ...env } = { ...gitEnvironment("/"), HOME: process.env["HOME"] ?? "" };
  const args = ["config", "--includes", "--list", "--show-origin", "-z"];
  const { stdout } = spawnSync(gitProgram(), args, { cwd: top, env, encoding: "utf8" });
  const fields = stdout.split("\0");
  const settings = fields.flatMap((origin, at) => {
    const file = /^file:(.+)$/s.exec(origin)?.[1];
    const [, name = "", value = ""] = /^([^\n]+)\n(.*)$/s.exec(fields[at + 1] ?? "") ?? [];
    return at % 2 === 1 || file === undefined ? [] : [{ file: resolve(top, file), name, value }];
  });
  const isInside = (path: string) => isIn(path, top) && path !== top;
  const of = (name: RegExp) => settings.filter((each) => name.test(each.name));
  const included = of(/^include(?:if\..+)?\.path$/s).map(({ file, value }) => resolve(dirname(file), value));
  return {
    files: [...new Set([...settings.map(({ file }) => file), ...included])].filter(isInside),
    hooks: of(/^core\.hookspath$/)
      .map(({ value }) => resolve(top, value))
      .filter(isInside),
  };
}

/** Folders with objects that a repository borrows, and those that they borrow from. */
function borrowed(objects: string, depth = 0): readonly string[] {
  if (depth > 5) return [];
  const lines = textIn(join(objects, "info/alternates")).split("\n");
  const others = lines.filter((line) => line !== "" && !line.startsWith("#"));
  return others
    .map((line) => (isAbsolute(line) ? line : resolve(objects, line)))
    .filter(existsSync)
    .flatMap((path) => [path, ...borrowed(path, depth + 1)]);
}

function withoutKeys(path: string): string {
  const settings = settingsIn(textIn(path)) ?? settingsByGit(path);
  const kept = settings.filter(({ name }) => !isKey(name) && withoutLogin(name) === name);
  return settingsText(kept.map(({ name, value }) => [name, withoutLogin(value)]));
}

function settingsByGit(path: string): readonly GitSetting[] {
  const { stdout } = spawnSync(gitProgram(), ["config", "--file", "-", "--list", "-z"], {
    cwd: "/",
    env: gitEnvironment("/"),
    input: attempt(() => readFileSync(path)) ?? "",
    encoding: "utf8",
  });
  return stdout.split("\0").flatMap((setting) => {
    // A setting without a value is a switch that is on.
    const [, name, value = "true"] = /^([^\n]+)(?:\n([\s\S]*))?$/.exec(setting) ?? [];
    return name === undefined ? [] : [{ name, value }];
  });
}

const isKey = (name: string) =>
  /^credential\.|(?:header|cookiefile|password|pass|token|secret|sslkey|proxy)$/i.test(name);

const withoutLogin = (text: string) => text.replace(/(https?:\/\/)[^/@\s]+@/gi, "$1");
