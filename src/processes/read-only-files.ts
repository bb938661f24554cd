import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Environment } from "./environment.ts";
import { homesOf } from "./home-folders.ts";
import { isWritable } from "./is-writable.ts";
import { shellWord } from "./shell-word.ts";
import { installedAgents, startupFiles } from "./tool-files.ts";

/**
 * Files outside the checkout that other programs start or obey: later steps of a job, the runner, the user's shells and
 * git. They are read-only if there is no file wall. Programs on PATH are excluded, because a check may install some.
 */
export function readOnlyFiles(environment: Environment): readonly string[] {
  return [
    ...homesOf(environment).flatMap((home) => names.map((name) => join(home, name))),
    ...startupFiles(environment),
    ...installedAgents(environment),
    ...ofRunner(environment),
  ];
}

const names = [
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".oh-my-zsh", ".config/fish"],
  ...[".gitconfig", ".config/git", ".pam_environment", ".xprofile", ".xsessionrc"],
  ...[".config/systemd", ".config/autostart", ".config/environment.d", ".local/share/systemd"],
  ...[".vimrc", ".vim", ".config/nvim", ".emacs", ".emacs.d", ".tmux.conf", ".gdbinit", ".cargo/env"],
];

/** The job's actions, and the runner's own programs, next to its work folder. */
function ofRunner({ RUNNER_TEMP = "" }: Environment): readonly string[] {
  if (basename(RUNNER_TEMP) !== "_temp") return [];
  const work = dirname(RUNNER_TEMP);
  const programs = [
    "bin",
    "externals",
    "run.sh",
    "run-helper.sh",
    "runsvc.sh",
    "svc.sh",
    "config.sh",
    ".path",
  ];
  return [join(work, "_actions"), ...programs.map((name) => join(dirname(work), name))];
}

/**
 * Shell code that makes paths read-only, with one `mount` process. Parent folders are mounted too, because otherwise
 * they could be renamed. Missing paths are skipped. `fail` ends the shell.
 */
export function mountReadOnly(mount: string, paths: readonly string[]): readonly string[] {
  const real = [...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))];
  if (real.length === 0) return [];
  const rules = new Map<string, string>();
  for (const path of real) for (const folder of foldersAbove(path)) rules.set(folder, "rbind");
  for (const path of real) rules.set(path, "rbind,ro");
  // Deeper paths are mounted later.
  const ordered = [...rules].toSorted(([one], [other]) => depthOf(one) - depthOf(other));
  const lines = ordered.map(([path, how]) =>
    shellWord(`${tableName(path)} ${tableName(path)} none ${how} 0 0`),
  );
  return [
    `fix() { ${mount} -o "$2" "$1" "$1" 2>/dev/null || [ ! -e "$1" ] || fail; }`,
    `{ [ -d /dev/shm ] && printf '%s\\n' ${lines.join(" ")} > ${table} && ${mount} -a -T ${table} 2>/dev/null; } || {`,
    ...ordered.map(([path, how]) => `fix ${shellWord(path)} ${how}`),
    "}",
    // Emptied, not removed: removing it takes another process.
    `[ ! -e ${table} ] || : > ${table}`,
    // So that relative paths too see what was mounted over a parent folder.
    `cd "$(pwd -P)" 2>/dev/null`,
  ];
}

/** In the memory of this namespace, where no other program can write. */
const table = "/dev/shm/until-green-mounts";

const depthOf = (path: string) => path.split("/").length;

/** Escapes a path as in /etc/fstab. */
const tableName = (path: string) =>
  path.replace(/[\s\\#]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`);

/** The parent folders of a path that this user could rename. */
function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === "/" || !isWritable(dirname(folder)) ? [] : [...foldersAbove(folder), folder];
}
