import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Where a checkout's files wait while they are aside: beside what git keeps of it, never among its files. */
export interface Aside {
  /** The checkout's top folder. */
  readonly top: string;
  /** Git's folder of this checkout; `undefined` where there is none. */
  readonly gitDir: string | undefined;
  readonly place: string;
  /** What is aside, by its path below the top. */
  readonly files: string;
}

export interface Top {
  readonly top: string;
  readonly gitDir: string | undefined;
}

/** The checkout a folder is in; the folder alone where there is none. */
export function findTop(folder: string): Top {
  for (let at = folder; ; at = dirname(at)) {
    const git = join(at, ".git");
    if (existsSync(git)) return { top: at, gitDir: gitDirAt(git) };
    if (at === dirname(at)) return { top: folder, gitDir: undefined };
  }
}

/** A linked work tree has a file there that names the folder. */
function gitDirAt(git: string): string {
  if (lstatSync(git).isDirectory()) return git;
  const named = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8"))?.[1];
  return named === undefined ? git : resolve(dirname(git), named);
}

export function asideOf({ top, gitDir }: Top): Aside {
  const place = gitDir === undefined ? join(top, ".until-green-aside") : placeIn(gitDir);
  return { top, gitDir, place, files: join(place, "files") };
}

const placeIn = (gitDir: string) => join(gitDir, "until-green", "aside");

/**
 * What is aside from a checkout just now, by its paths from the top: it is gone for the moment and not deleted. The list
 * is where an agent can write: only what agents' programs obey is believed of it.
 */
export const pathsAside = (gitDir: string): readonly string[] =>
  pathsIn(placeIn(gitDir)).filter((path) => obeyed.test(path));

const obeyed = /(^|\/)(\.gemini|\.opencode|opencode\.jsonc?)$/;

export const readPaths = ({ place }: Aside): readonly string[] => pathsIn(place);

function pathsIn(place: string): readonly string[] {
  try {
    return JSON.parse(readFileSync(join(place, "paths.json"), "utf8")) as string[];
  } catch {
    return []; // nothing is aside
  }
}

/** Whole or not at all. */
export function writePaths({ place }: Aside, paths: readonly string[]): void {
  const fresh = join(place, "paths.json.new");
  writeFileSync(fresh, JSON.stringify(paths));
  renameSync(fresh, join(place, "paths.json"));
}

/** Also of a link that leads nowhere. */
export const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

export function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  try {
    renameSync(from, to);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${from} cannot be moved aside while an agent works (${why}); remove it, or set UNTIL_GREEN_TRUST_CHECKOUT=1 if you trust it`,
    );
  }
}

/** Moves what `kept` lacks over to it; where both have a file, that of `kept` stands. */
export function absorb(from: string, kept: string): void {
  if (!isThere(kept)) {
    move(from, kept);
    return;
  }
  if (isFolder(from) && isFolder(kept)) {
    for (const name of readdirSync(from)) absorb(join(from, name), join(kept, name));
  }
  rmSync(from, { recursive: true, force: true });
}

const isFolder = (path: string) => lstatSync(path).isDirectory();
