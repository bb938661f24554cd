import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { settingsIn } from "../processes/git-config.ts";
import { settingsPlaces } from "../processes/git-settings.ts";
import { watchNested } from "../processes/nested-repositories.ts";
import { isPlainFile } from "../processes/path-kind.ts";
import { replaceFile } from "../processes/replace-file.ts";

/** The state of a checkout's git settings. */
export interface KeptSettings {
  /** Restores settings that others have changed since, and returns the paths of those files. */
  restore(): readonly string[];
}

interface Entry {
  readonly mode: number;
  readonly bytes: Buffer;
}

/**
 * Records the settings and hooks of a checkout and its submodules, and the settings in a home folder that programs of
 * later steps obey. In a job nobody else changes them. What a run leaves there could start a program in the next step,
 * which may hold tokens, or redirect that step's programs.
 */
export function keepGitSettings(cwd: string, home?: string): KeptSettings {
  const places = [...settingsPlaces(cwd), ...(home === undefined ? [] : homeSettings(home))];
  const before = entriesOf(places);
  const disarm = watchNested(cwd);
  return {
    restore() {
      const now = entriesOf(places);
      const paths = [...new Set([...before.keys(), ...now.keys()])].sort();
      const changed = paths.filter((path) => !isSame(path, before.get(path), now.get(path)));
      for (const path of changed) {
        const was = before.get(path);
        if (was === undefined || !isPlainFile(path)) rmSync(path, { recursive: true, force: true });
        if (was === undefined) continue;
        mkdirSync(dirname(path), { recursive: true });
        replaceFile(path, was.bytes);
        chmodSync(path, was.mode);
      }
      return [...changed, ...disarm("untracked").map((folder) => join(folder, ".git"))];
    },
  };
}

const homeSettings = (home: string) => obeyed.map((name) => join(home, name));

const obeyed = [
  ...[".gitconfig", ".config/git/config", ".config/git/attributes", ".ssh/config", ".ssh/rc", ".netrc"],
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".config/pip/pip.conf", ".pip/pip.conf"],
  ...[".pydistutils.cfg", ".config/uv/uv.toml", ".config/go/env", ".cargo/config.toml", ".cargo/config"],
  ...[".gemrc", ".bundle/config", ".condarc", ".curlrc", ".wgetrc", ".pam_environment"],
  ...[".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshenv"],
];

/** The files at these places, and directly in folders there; the content of a link is its target. */
function entriesOf(places: readonly string[]): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  const add = (path: string, mayBeFolder: boolean) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.isDirectory() && mayBeFolder) for (const name of readdirSync(path)) add(join(path, name), false);
    else if (stat.isFile()) entries.set(path, { mode: stat.mode & 0o777, bytes: readFileSync(path) });
    else entries.set(path, { mode: -1, bytes: Buffer.from(stat.isSymbolicLink() ? readlinkSync(path) : "") });
  };
  for (const path of places) add(path, true);
  return entries;
}

function isSame(path: string, was: Entry | undefined, is: Entry | undefined): boolean {
  const isGits = /^\.gitconfig$|^config$/.test(basename(path));
  if (is === undefined || (was === undefined && basename(path) !== ".gitconfig")) return was === is;
  if (was?.mode === is.mode && was.bytes.equals(is.bytes)) return true;
  return isGits && is.mode !== -1 && isHarmless(was?.bytes ?? Buffer.alloc(0), is.bytes);
}

/** Whether two settings files differ only in settings that start no program and redirect nothing. */
function isHarmless(was: Buffer, is: Buffer): boolean {
  const [before, after] = [was, is].map((bytes) =>
    settingsIn(bytes.toString("utf8"))?.map(({ name, value }) => `${name}=${value}`),
  );
  if (before === undefined || after === undefined) return false;
  const different = [
    ...before.filter((one) => !after.includes(one)),
    ...after.filter((one) => !before.includes(one)),
  ];
  return different.every((one) => harmless.test(one));
}

const harmless =
  /^(user\.(name|email)|branch\..+\.(merge|rebase)|push\.(default|autosetupremote)|pull\.(rebase|ff)|core\.(autocrlf|filemode|longpaths)|advice\.\w+|gc\.auto|init\.defaultbranch|safe\.directory)=|^branch\..+\.remote=[\w-]+$/;
