import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { onDisk, readable } from "../git/git.ts";
import type { Checkout } from "./checkout.ts";
import { type FileRecord, isUnchanged, recordFiles } from "./ignored-copies.ts";
import { listUntracked, rememberFolders, type Untracked } from "./ignored-folders.ts";

/** The ignored files of a checkout before any agent started, by path; `undefined` for what is no regular file. */
type Before = ReadonlyMap<string, FileRecord | undefined>;

const known = new Map<string, Promise<Before>>();
const times = new Map<string, bigint>();

/**
 * When the checkout was inspected, before any agent started: the time of a file that was written then, in nanoseconds.
 * `undefined` in another process: a file that an agent can write could not prove it.
 */
export const inspectedAt = ({ store, top }: Checkout, commit: string): bigint | undefined =>
  times.get(`${store} ${top} ${commit}`);

/** Records the protected files that git ignores, to restore them; returns those that were too large to be copied. */
export async function rememberIgnored(search: IgnoredSearch): Promise<readonly string[]> {
  const key = keyOf(search);
  const before = known.get(key) ?? readBefore(search);
  known.set(key, before);
  return [...(await before)].flatMap(([path, record]) => (record?.isCopied === false ? [path] : []));
}

export interface IgnoredSearch {
  readonly checkout: Checkout;
  readonly commit: string;
  isProtected(path: string): boolean;
}

export interface IgnoredChanges {
  /** Files that did not exist before. */
  readonly added: readonly string[];
  /** Files that were changed, as they were before. */
  readonly changed: ReadonlyMap<string, FileRecord>;
}

/**
 * Protected files that git ignores and that were added or changed since before any agent ran: a test runner reads them
 * too. Empty if nothing was recorded.
 */
export async function findIgnored(search: IgnoredSearch): Promise<IgnoredChanges> {
  const before = await (known.get(keyOf(search)) ?? recall(search));
  if (before === undefined) return { added: [], changed: new Map() };
  const isNew = (path: string) => !before.has(path);
  // Only git knows exactly what it ignores; it is started only if there may be something new.
  const added = (await mayHave(search, isNew)) ? (await listIgnored(search)).filter(isNew) : [];
  const changed = new Map<string, FileRecord>();
  for (const [path, record] of before)
    if (record !== undefined && !(await isUnchanged(search.checkout, path, record)))
      changed.set(path, record);
  return { added, changed };
}

const keyOf = ({ checkout, commit }: IgnoredSearch) => `${checkout.store} ${checkout.top} ${commit}`;

async function readBefore(search: IgnoredSearch): Promise<Before> {
  const paths = await listIgnored(search);
  const { checkout } = search;
  await mkdir(checkout.dir, { recursive: true });
  const records = await recordFiles(checkout, paths);
  const before = paths.map((path) => [path, records.get(path)] as const);
  await writeFile(placeOf(search), JSON.stringify(before));
  times.set(keyOf(search), (await lstat(placeOf(search), { bigint: true })).ctimeNs);
  return new Map(before);
}

/** What an earlier process of the run recorded. */
async function recall(search: IgnoredSearch): Promise<Before | undefined> {
  try {
    const before = JSON.parse(await readFile(placeOf(search), "utf8")) as [string, FileRecord | null][];
    return new Map(before.map(([path, record]) => [path, record ?? undefined]));
  } catch {
    return undefined;
  }
}

const placeOf = ({ checkout, commit }: IgnoredSearch) =>
  join(checkout.dir, `ignored-${posix.basename(checkout.index)}-${commit.slice(0, 16)}.json`);

/** The protected files that git ignores. Looks into a folder ignored as a whole only if that folder is protected. */
async function listIgnored({ checkout, isProtected }: IgnoredSearch): Promise<readonly string[]> {
  const args = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  const { out } = await checkout.git(args);
  const listed = out.split("\0").filter((path) => path !== "");
  await rememberFolders(checkout, listed);
  const entries = listed.map(readable);
  const folders = entries.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  const files = entries.filter((path) => !path.endsWith("/"));
  return (await protectedIn({ checkout, isProtected }, { files, folders })).slice(0, 20_000);
}

/** Whether there may be new protected files that git ignores. */
async function mayHave(search: IgnoredSearch, isNew: (path: string) => boolean): Promise<boolean> {
  const untracked = await listUntracked(search.checkout);
  return untracked === undefined || (await protectedIn(search, untracked)).some(isNew);
}

async function protectedIn(
  { checkout, isProtected }: Pick<IgnoredSearch, "checkout" | "isProtected">,
  { files, folders }: Untracked,
): Promise<readonly string[]> {
  const below = folders.filter((folder) => isProtected(`${folder}/x`));
  const inner = await Promise.all(below.map((folder) => filesBelow(checkout.top, folder)));
  return [...files.filter(isProtected), ...inner.flat()];
}

/** The entries of a folder in the checkout; names have one character per byte. */
export const entriesIn = (top: string, folder: string) =>
  readdir(onDisk(top, folder), { withFileTypes: true, encoding: "latin1" }).catch(() => []);

/** All files below a folder, without following links; `skipped` names folders to leave out. */
export async function filesBelow(top: string, folder: string, skipped?: string): Promise<readonly string[]> {
  const entries = await entriesIn(top, folder);
  const lists = await Promise.all(
    entries.map((entry) => {
      const path = posix.join(folder, readable(entry.name));
      if (!entry.isDirectory()) return [path];
      return entry.name === skipped ? [] : filesBelow(top, path, skipped);
    }),
  );
  return lists.flat();
}
