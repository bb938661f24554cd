import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { messageOf } from "../../ports/message-of.ts";
import { isThere } from "../../processes/path-kind.ts";
import { removeAll } from "../../processes/remove-all.ts";
import { replaceFile } from "../../processes/replace-file.ts";

/** A checkout's quarantine: in git's own folder, never among the checkout's files, if there is a repository. */
export interface Quarantine {
  /** The checkout's top folder. */
  readonly top: string;
  /** The checkout's git folder; `undefined` if there is none. */
  readonly gitDir: string | undefined;
  readonly place: string;
  /** The quarantined files, by their paths below the top. */
  readonly files: string;
}

export interface Top {
  readonly top: string;
  readonly gitDir: string | undefined;
}

/** Finds the checkout that contains a folder; just the folder if there is none. */
export function findTop(folder: string): Top {
  for (let at = folder; ; at = dirname(at)) {
    const git = join(at, ".git");
    if (existsSync(git)) return { top: at, gitDir: gitDirAt(git) };
    if (at === dirname(at)) return { top: folder, gitDir: undefined };
  }
}

/** In a linked worktree, `.git` is a file that names the git folder. */
function gitDirAt(git: string): string {
  if (lstatSync(git).isDirectory()) return git;
  const named = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8"))?.[1];
  return named === undefined ? git : resolve(dirname(git), named);
}

export function quarantineOf({ top, gitDir }: Top): Quarantine {
  const place = gitDir === undefined ? join(top, ".until-green-aside") : placeIn(gitDir);
  return { top, gitDir, place, files: join(place, "files") };
}

const placeIn = (gitDir: string) => join(gitDir, "until-green", "aside");

/**
 * The quarantined paths, relative to the checkout's top: moved temporarily, not deleted. An agent can write this list,
 * so only names that agents' programs obey are accepted from it.
 */
export const quarantinedPaths = (gitDir: string): readonly string[] =>
  pathsIn(placeIn(gitDir)).filter((path) => obeyed.test(path));

const obeyed = /(^|\/)(\.gemini|\.opencode|opencode\.jsonc?)$/;

export const readPaths = ({ place }: Quarantine): readonly string[] => pathsIn(place);

function pathsIn(place: string): readonly string[] {
  try {
    return JSON.parse(readFileSync(join(place, "paths.json"), "utf8")) as string[];
  } catch {
    return []; // nothing is in quarantine
  }
}

export function writePaths({ place }: Quarantine, paths: readonly string[]): void {
  replaceFile(join(place, "paths.json"), JSON.stringify(paths));
}

export function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  try {
    renameSync(from, to);
  } catch (error) {
    const why = messageOf(error);
    throw new Error(
      `${from} cannot be moved aside while an agent works (${why}); remove it, or set UNTIL_GREEN_TRUST_CHECKOUT=1 if you trust it`,
    );
  }
}

/** Moves everything that `kept` lacks into it. If both have a file, the one in `kept` stays. */
export function absorb(from: string, kept: string): void {
  if (!isThere(kept)) {
    move(from, kept);
    return;
  }
  if (isFolder(from) && isFolder(kept)) {
    for (const name of readdirSync(from)) absorb(join(from, name), join(kept, name));
  }
  removeAll(from);
}

const isFolder = (path: string) => lstatSync(path).isDirectory();
