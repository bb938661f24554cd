import { spawnSync } from "node:child_process";
import { startsNoProgram } from "./git-config.ts";
import { gitEnvironment } from "./git-environment.ts";
import { gitProgram } from "./program-path.ts";
import { readRegularFile } from "./regular-file.ts";
import { removeAll } from "./remove-all.ts";
import { replaceFile } from "./replace-file.ts";

/** A file with git's settings, and its text at some moment. */
export type SettingsFile = readonly [path: string, text: string];

export function recordSettingsFiles(paths: readonly string[]): readonly SettingsFile[] {
  // Find git before a program can put another one on PATH.
  gitProgram();
  return paths.flatMap((path) => {
    const text = readRegularFile(path);
    return text === undefined ? [] : [[path, text] as const];
  });
}

/**
 * Removes settings that were added since and could start a program, and returns their names. The files are mounted
 * read-only, but if a process outside the sandbox replaces one, as `git config` does, the kernel removes that mount, and
 * programs in the sandbox can write to the new file.
 */
export const removeNewSettings = (before: readonly SettingsFile[]): readonly string[] =>
  [...new Set(before.flatMap(([path, text]) => repair(path, text)))].sort();

function repair(path: string, before: string): readonly string[] {
  const text = readRegularFile(path);
  if (text === before) return [];
  const now = text === undefined ? undefined : settingsIn(text);
  if (now === undefined) {
    // A link, a pipe, a missing file, or one that git cannot parse.
    removeAll(path);
    replaceFile(path, before);
    return [path];
  }
  const known = new Set(settingsIn(before) ?? []);
  const come = [...now].filter((setting) => !known.has(setting) && !isHarmless(nameOf(setting)));
  for (const setting of come) remove(path, setting);
  return come.map(nameOf);
}

/** Each setting as git lists it: the name, then the value on the next line; `undefined` if git cannot parse it. */
function settingsIn(text: string): readonly string[] | undefined {
  const { status, stdout } = config(["--file", "-", "--list", "-z"], text);
  return status === 0 ? stdout.split("\0").filter((setting) => setting !== "") : undefined;
}

function remove(path: string, setting: string): void {
  const name = nameOf(setting);
  const value = setting.slice(name.length + 1);
  config(["--file", path, "--fixed-value", "--unset-all", name, value]);
}

/** Reads and writes only the named file. */
const config = (args: readonly string[], input = "") =>
  spawnSync(gitProgram(), ["config", ...args], {
    cwd: "/",
    env: gitEnvironment("/"),
    input,
    encoding: "utf8",
  });

const nameOf = (setting: string) => /^[^\n]*/.exec(setting)?.[0] ?? "";

/** With another worktree, git would write elsewhere. */
const isHarmless = (name: string) => startsNoProgram(name) && name !== "core.worktree";
