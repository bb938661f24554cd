import { chmodSync, readlinkSync, symlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { settingsIn } from "../processes/git-config.ts";
import { settingsPlaces } from "../processes/git-settings.ts";
import { namesIn } from "../processes/lenient-reads.ts";
import { isFolder, makeFolder } from "../processes/make-folder.ts";
import { disarmNew, recordNested } from "../processes/nested-repositories.ts";
import { isPlainFile, isThere, kindOf } from "../processes/path-kind.ts";
import { readRegularBytes } from "../processes/regular-file.ts";
import { removeAll, takeAll, unlockBetween, unlockPath } from "../processes/remove-all.ts";
import { replaceFile } from "../processes/replace-file.ts";

/** The state of a checkout's git settings. */
export interface KeptSettings {
  /** Restores settings that others have changed since, and returns the paths of those files. */
  restore(): readonly string[];
}

interface Entry {
  /** -1 for a link, and for anything that cannot be read as a file. */
  readonly mode: number;
  /** The content of a file, or the target of a link. */
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
  const nested = recordNested(cwd);
  return {
    restore() {
      for (const place of places) unlock(place, [cwd, ...(home === undefined ? [] : [home])]);
      const now = entriesOf(places);
      const paths = [...new Set([...before.keys(), ...now.keys()])].sort();
      const changed = paths.filter((path) => !isSame(path, before.get(path), now.get(path)));
      let disarmed: readonly string[] = [];
      takeAll([
        ...changed.map((path) => () => putBack(path, before.get(path))),
        () => {
          disarmed = disarmNew(nested, "untracked");
        },
      ]);
      return [...changed, ...disarmed.map((folder) => join(folder, ".git"))];
    },
  };
}

/** Makes a place usable again if the run locked it or a folder above it. */
function unlock(place: string, above: readonly string[]): void {
  const base = above.find((folder) => place.startsWith(`${folder}/`)) ?? dirname(place);
  unlockPath(base);
  unlockBetween(base, Buffer.from(relative(base, place)).toString("latin1"));
}

function putBack(path: string, was: Entry | undefined): void {
  if (was?.mode === -1 && was.bytes.length === 0) return;
  if (was === undefined || was.mode === -1 || !isPlainFile(path)) removeAll(path);
  if (was === undefined) return;
  if (!isFolder(dirname(path))) removeAll(dirname(path));
  makeFolder(dirname(path));
  if (was.mode === -1) symlinkSync(was.bytes.toString("utf8"), path);
  else {
    replaceFile(path, was.bytes);
    chmodSync(path, was.mode);
  }
}

const homeSettings = (home: string) => obeyed.map((name) => join(home, name));

const obeyed = [
  ...[".gitconfig", ".config/git/config", ".config/git/attributes", ".ssh/config", ".ssh/rc", ".netrc"],
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".config/pip/pip.conf", ".pip/pip.conf"],
  ...[".pydistutils.cfg", ".config/uv/uv.toml", ".config/go/env", ".cargo/config.toml", ".cargo/config"],
  ...[".gemrc", ".bundle/config", ".condarc", ".curlrc", ".wgetrc", ".pam_environment"],
  ...[".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshenv"],
];

/** The files at these places, and directly in folders there. */
function entriesOf(places: readonly string[]): ReadonlyMap<string, Entry> {
  const isDirectory = (path: string) => kindOf(path)?.isDirectory() === true;
  const paths = places.flatMap((place) =>
    isDirectory(place) ? namesIn(place).map((name) => join(place, name)) : [place],
  );
  return new Map(paths.filter(isThere).map((path) => [path, entryAt(path)]));
}

function entryAt(path: string): Entry {
  const kind = kindOf(path);
  const bytes = readRegularBytes(path);
  if (kind?.isFile() && bytes !== undefined) return { mode: kind.mode & 0o777, bytes };
  return { mode: -1, bytes: Buffer.from(kind?.isSymbolicLink() ? readlinkSync(path) : "") };
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
