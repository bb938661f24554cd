import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { onDisk, readable } from "../git/git.ts";
import type { Checkout } from "./checkout.ts";
import { listUntracked, rememberFolders, type Untracked } from "./ignored-folders.ts";

/** The ignored files of a checkout before any agent started: by path, with their content if they were small. */
type Before = ReadonlyMap<string, Buffer | undefined>;

const known = new Map<string, Promise<Before>>();
const times = new Map<string, bigint>();

/**
 * When the checkout was inspected, before any agent started: the time of a file that was written then, in nanoseconds.
 * `undefined` in another process: a file that an agent can write could not prove it.
 */
export const inspectedAt = ({ store, top }: Checkout, commit: string): bigint | undefined =>
  times.get(`${store} ${top} ${commit}`);

/** Records the protected files that git ignores, in order to recognize later ones. */
export async function rememberIgnored(search: IgnoredSearch): Promise<void> {
  const key = keyOf(search);
  if (!known.has(key)) known.set(key, readBefore(search));
  await known.get(key);
}

export interface IgnoredSearch {
  readonly checkout: Checkout;
  readonly commit: string;
  isProtected(path: string): boolean;
}

export interface IgnoredChanges {
  /** Files that did not exist before. */
  readonly added: readonly string[];
  /** Changed files, with their earlier content. */
  readonly changed: ReadonlyMap<string, Buffer>;
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
  const changed = new Map<string, Buffer>();
  for (const [path, body] of before) {
    if (body === undefined) continue;
    const current = await readSmall(onDisk(search.checkout.top, path));
    if (current === undefined || !current.equals(body)) changed.set(path, body);
  }
  return { added, changed };
}

const keyOf = ({ checkout, commit }: IgnoredSearch) => `${checkout.store} ${checkout.top} ${commit}`;

async function readBefore(search: IgnoredSearch): Promise<Before> {
  const paths = await listIgnored(search);
  const { checkout } = search;
  const bodies = await Promise.all(paths.map((path) => readSmall(onDisk(checkout.top, path))));
  await mkdir(checkout.dir, { recursive: true });
  await writeFile(placeOf(search), JSON.stringify(paths));
  times.set(keyOf(search), (await lstat(placeOf(search), { bigint: true })).ctimeNs);
  return new Map(paths.map((path, at) => [path, bodies[at]]));
}

/** After a resume, only the names are known. */
async function recall(search: IgnoredSearch): Promise<Before | undefined> {
  try {
    const paths = JSON.parse(await readFile(placeOf(search), "utf8")) as readonly string[];
    return new Map(paths.map((path) => [path, undefined]));
  } catch {
    return undefined;
  }
}

const placeOf = ({ checkout, commit }: IgnoredSearch) =>
  join(checkout.dir, `ignored-${posix.basename(checkout.index)}-${commit.slice(0, 16)}.json`);

const smallBytes = 64 * 1024;

async function readSmall(path: string | Buffer): Promise<Buffer | undefined> {
  try {
    const stat = await lstat(path);
    return stat.isFile() && stat.size <= smallBytes ? await readFile(path) : undefined;
  } catch {
    return undefined;
  }
}

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
