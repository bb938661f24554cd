import { type Dirent, readdirSync } from "node:fs";
import { onDisk, readable } from "../git/git.ts";
import type { Checkout } from "./checkout.ts";
import { type IndexFolder, isFolder, readIndexFile } from "./index-file.ts";

/** The folders that git last listed as ignored, and the ignore rules at that time. */
interface Listed {
  readonly rules: string;
  /** Folders that are ignored as a whole, with a slash at the end. */
  readonly whole: ReadonlySet<string>;
  /** Folders without tracked files, in which some files are ignored individually. */
  readonly mixed: ReadonlySet<string>;
}

const known = new Map<string, Listed>();

/** Records the output of `git ls-files --others --ignored --directory`, with one character per byte. */
export async function rememberFolders(checkout: Checkout, entries: readonly string[]): Promise<void> {
  const top = readIndexFile(checkout);
  if (top === undefined) return;
  const mixed = new Set(entries.map(parentOf));
  const folders = entries.filter((path) => path.endsWith("/"));
  known.set(checkout.index, {
    rules: rulesIn(top, ""),
    whole: new Set(folders.filter((path) => !mixed.has(path))),
    mixed: new Set(folders.filter((path) => mixed.has(path))),
  });
}

const parentOf = (path: string) => path.slice(0, path.slice(0, -1).lastIndexOf("/") + 1);

/** What is untracked although all files were just staged. */
export interface Untracked {
  readonly files: string[];
  /** Folders ignored as a whole, without a slash at the end. */
  readonly folders: string[];
}

/**
 * What git may ignore in a checkout whose files were all staged: everything that is not in the index. Does not start
 * git. `undefined` if only git can tell, because the ignore rules or folders have changed since it was last asked.
 */
export async function listUntracked({ top, ...checkout }: Checkout): Promise<Untracked | undefined> {
  const listed = known.get(checkout.index);
  const tracked = readIndexFile(checkout);
  if (tracked === undefined || listed?.rules !== rulesIn(tracked, "")) return undefined;
  const untracked: Untracked = { files: [], folders: [] };
  return collect({ top, listed, untracked, left: mostVisited }, "", tracked) ? untracked : undefined;
}

interface Search {
  readonly top: string;
  readonly listed: Listed;
  readonly untracked: Untracked;
  /** How many more folders may be read. */
  left: number;
}

/** Collects what is untracked below a folder; false if only git can tell. */
function collect(search: Search, at: string, tracked: IndexFolder): boolean {
  search.left -= 1;
  const entries = entriesIn(search.top, at);
  if (entries === undefined || search.left < 0) return false;
  return entries.every((entry) => {
    const item = tracked.get(entry.name);
    const path = `${at}${entry.name}`;
    if (isFolder(item)) return entry.isDirectory() && collect(search, `${path}/`, item);
    // Git does not list the files of a submodule here.
    if (item !== undefined || entry.name === ".git") return true;
    if (entry.isDirectory()) return collectFolder(search, path);
    search.untracked.files.push(readable(path));
    return entry.name !== ".gitignore";
  });
}

/** The same for a folder without tracked files. */
function collectFolder(search: Search, path: string): boolean {
  const { top, listed, untracked } = search;
  if (listed.mixed.has(`${path}/`)) return collect(search, `${path}/`, new Map());
  if (!listed.whole.has(`${path}/`)) return entriesIn(top, path)?.length === 0;
  untracked.folders.push(readable(path));
  return true;
}

/** If there are more folders, git is faster. */
const mostVisited = 5000;

/** `undefined` if the folder cannot be read; empty if it is gone. */
function entriesIn(top: string, folder: string): readonly Dirent<string>[] | undefined {
  try {
    return readdirSync(onDisk(top, readable(folder)), { withFileTypes: true, encoding: "latin1" });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? [] : undefined;
  }
}

/** The ignore rules in a folder and below it, as blob ids. */
function rulesIn(folder: IndexFolder, path: string): string {
  let rules = "";
  for (const [name, item] of folder) {
    if (isFolder(item)) rules += rulesIn(item, `${path}${name}/`);
    else if (name === ".gitignore") rules += `${path}\0${item.object}\n`;
  }
  return rules;
}
