import { existsSync, lstatSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { bytes, onDisk, readable } from "../git/git.ts";
import { formatOf, objectId } from "../git/objects.ts";
import { attempt } from "../processes/lenient-reads.ts";
import { credentialPaths } from "../processes/private-files.ts";
import type { Checkout } from "./checkout.ts";
import { holdsCredentials, isLogin } from "./credential-files.ts";
import { filteredAmong, mayNameFilters } from "./filters.ts";
import { differing, type Entry, unstage } from "./index-changes.ts";
import { readHead } from "./repository.ts";

/** A file that stays as the checked-out commit has it in every snapshot. */
interface KeptBack {
  /** It holds credentials, or git would pass it through a filter that we do not run. */
  readonly why: "credentials" | "filter";
  /** True if the commit has it: then git skips it in the index. */
  readonly isTracked: boolean;
  /** The id of its bytes before any agent started; `undefined` if it appeared later. */
  readonly found?: string;
}

interface KeptRecord {
  readonly files: Readonly<Record<string, KeptBack>>;
  /** Whether everything that was there before the run has been searched. */
  readonly isSearched: boolean;
  /** Whether attributes named filters then. */
  readonly hasFilters: boolean;
  /** The commit that was checked out then. */
  readonly head?: string;
}

/** The index at the start, for its attributes. */
const startIndexOf = ({ store }: Checkout) => join(store, "start-index");

const placeOf = ({ store }: Checkout) => join(store, "kept-back.json");

const read = (checkout: Checkout): KeptRecord =>
  attempt(() => JSON.parse(readFileSync(placeOf(checkout), "utf8")) as KeptRecord) ?? {
    files: {},
    isSearched: false,
    hasFilters: false,
  };

const write = (checkout: Checkout, record: KeptRecord) =>
  writeFileSync(placeOf(checkout), JSON.stringify(record));

/** The paths that git must not add; those that the commit has are skipped anyway. */
export const keptFromIndex = (checkout: Checkout): readonly string[] =>
  Object.entries(read(checkout).files).flatMap(([path, { isTracked }]) => (isTracked ? [] : [path]));

/**
 * Lets git skip the files that the user's own filters change, such as those of git-crypt and nbstripout: without the
 * filter, git would store the decrypted bytes. Call it for each new index.
 */
export async function skipFiltered(checkout: Checkout): Promise<void> {
  const record = read(checkout);
  if (!record.isSearched && existsSync(checkout.index) && mayNameFilters(checkout)) {
    const { out } = await checkout.git(["ls-files", "--stage", "-z"]);
    const tracked = out.split("\0").flatMap((row) => /^100\d+ (\w+) 0\t([\s\S]+)$/.exec(row)?.slice(1) ?? []);
    const objects = new Map(
      tracked.flatMap((id, at) => (at % 2 ? [] : [[readable(tracked[at + 1] ?? ""), id]])),
    );
    const filtered = [...(await filteredAmong(checkout, [...objects.keys()]))];
    const kept = filtered.map((path): readonly [string, KeptBack] => {
      const found = idOnDisk(checkout, path, objects.get(path) ?? "");
      return [path, { why: "filter", isTracked: true, ...(found !== undefined && { found }) }];
    });
    await copyFile(checkout.index, startIndexOf(checkout));
    write(checkout, { ...record, hasFilters: true, files: { ...record.files, ...Object.fromEntries(kept) } });
  }
  await skipTracked(checkout);
}

/** Marks them in the index, so that git neither reads nor writes the files. */
async function skipTracked(checkout: Checkout): Promise<void> {
  const paths = Object.entries(read(checkout).files).flatMap(([path, one]) => (one.isTracked ? [path] : []));
  if (paths.length === 0) return;
  const listed = new Set((await checkout.git(["ls-files", "-z"])).out.split("\0"));
  const stdin = paths.map(bytes).filter((path) => listed.has(path));
  if (stdin.length === 0) return;
  await checkout.git(["update-index", "--skip-worktree", "-z", "--stdin"], {
    stdin: stdin.map((path) => `${path}\0`).join(""),
  });
}

/**
 * Takes files out of the index that no snapshot may contain. The first time everything that differs from the
 * checked-out commit is searched, because earlier steps of a job leave credentials there; later only what was `added`.
 * Returns whether the index has changed.
 */
export async function keepBack(checkout: Checkout, added: readonly string[]): Promise<boolean> {
  const record = read(checkout);
  const { isSearched, hasFilters } = record;
  const named = namedIn(checkout);
  const copies = new Set(Object.values(record.files).flatMap(({ found = [] }) => found));
  const isSuspect = (path: string) => named(path) || isCredentials(checkout, path, isSearched);
  if (isSearched && !hasFilters && copies.size === 0 && !added.some(isSuspect)) return false;
  // An agent may have committed since.
  const head = isSearched ? record.head : (await readHead(checkout.top, checkout.signal))?.commit;
  const among = new Set(added);
  const candidates = (await differing(checkout, head)).filter(({ path }) => !isSearched || among.has(path));
  const filtered = hasFilters
    ? await filteredAmong(
        checkout,
        candidates.map(({ path }) => path),
        startIndexOf(checkout),
      )
    : new Set();
  const kept = candidates.flatMap((one): readonly (Entry & KeptBack)[] => {
    const why = filtered.has(one.path) ? "filter" : "credentials";
    if (why === "credentials" && !copies.has(one.object) && !isSuspect(one.path)) return [];
    const found = isSearched ? undefined : idOnDisk(checkout, one.path, one.object);
    return [{ ...one, why, ...(found !== undefined && { found }) }];
  });
  if (kept.length > 0 || !isSearched) {
    const more = kept.map(({ path, why, isTracked, found }) => [
      path,
      { why, isTracked, ...(found && { found }) },
    ]);
    write(checkout, {
      ...record,
      files: { ...record.files, ...Object.fromEntries(more) },
      isSearched: true,
      ...(head !== undefined && { head }),
    });
  }
  if (kept.length === 0) return false;
  await unstage(
    checkout,
    head,
    kept.map(({ path }) => path),
  );
  await skipTracked(checkout);
  if (!isSearched) await removeUnused(checkout, kept);
  return true;
}

/** An agent may be able to read the private repository, which has no other commits yet. */
async function removeUnused(checkout: Checkout, kept: readonly Entry[]): Promise<void> {
  const { out } = await checkout.git(["ls-files", "--stage", "-z"]);
  const used = new Set(out.split("\0").map((row) => row.split(" ")[1] ?? ""));
  for (const { object } of kept)
    if (!used.has(object))
      await rm(join(checkout.store, "objects", object.slice(0, 2), object.slice(2)), { force: true });
}

/** Whether a variable of the environment names a path of the checkout, or a folder above it in there, as credentials. */
function namedIn({ top }: Checkout): (path: string) => boolean {
  const places = credentialPaths(process.env, top)
    .map((path) => attempt(() => realpathSync(path)) ?? path)
    .filter((path) => path.startsWith(`${top}/`))
    .map((path) => path.slice(top.length + 1));
  return (path) => places.some((place) => path === place || path.startsWith(`${place}/`));
}

function isCredentials({ top }: Checkout, path: string, isSearched: boolean): boolean {
  const place = onDisk(top, path);
  const stat = attempt(() => lstatSync(place));
  if (stat?.isFile() !== true || stat.size > mostSearched) return false;
  const body = attempt(() => readFileSync(place, "latin1")) ?? "";
  if (isSearched) return isLogin({ path, body });
  return holdsCredentials({ path, body, isPrivate: (stat.mode & 0o077) === 0 });
}

/** Files with credentials are small. */
const mostSearched = 256 * 1024;

function idOnDisk({ top }: Checkout, path: string, like: string): string | undefined {
  const place = onDisk(top, path);
  const body = attempt(() => (lstatSync(place).isFile() ? readFileSync(place) : undefined));
  return body && objectId(formatOf(like), "blob", body);
}

const isUntouched = (checkout: Checkout, path: string, { found = "" }: KeptBack) =>
  found !== "" && idOnDisk(checkout, path, found) === found;

/** The files that a snapshot does not contain as they are; those with credentials, and filtered ones that changed. */
export function withheldBy(checkout: Checkout) {
  const files = Object.entries(read(checkout).files);
  const credentials = files.filter(([path, { why }]) => why === "credentials" && isThere(checkout, path));
  const filtered = files.filter(([path, one]) => one.why === "filter" && !isUntouched(checkout, path, one));
  const naming = (name: string, some: typeof files) =>
    some.length === 0
      ? {}
      : {
          [name]: some
            .slice(0, 50)
            .map(([path]) => path)
            .sort(),
        };
  return { ...naming("credentials", credentials), ...naming("filtered", filtered) };
}

const isThere = ({ top }: Checkout, path: string) =>
  attempt(() => lstatSync(onDisk(top, path))) !== undefined;

/** The files that git must not restore from a commit, because they still have the bytes that were there before. */
export function untouchedOf(checkout: Checkout): (path: string) => boolean {
  const { files } = read(checkout);
  return (path) => {
    const one = files[path];
    return one !== undefined && isUntouched(checkout, path, one);
  };
}

/** Files that appeared after the start, or have changed since, and that git does not see. */
export const keptLater = (checkout: Checkout): readonly string[] =>
  Object.entries(read(checkout).files).flatMap(([path, one]) =>
    !one.isTracked && isThere(checkout, path) && !isUntouched(checkout, path, one) ? [path] : [],
  );

/** Gives another checkout the filtered files as they are in this one, because git wrote them there without the filter. */
export async function copyFiltered(checkout: Checkout, other: Checkout): Promise<void> {
  for (const [path, one] of Object.entries(read(checkout).files))
    if (one.why === "filter" && isUntouched(checkout, path, one) && isThere(other, path))
      await writeFile(onDisk(other.top, path), readFileSync(onDisk(checkout.top, path)));
  await skipTracked(other);
}
