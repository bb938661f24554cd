import { lstat, readFile, readlink } from "node:fs/promises";
import { bytes, onDisk } from "../git/git.ts";
import { formatOf, link, objectId, submodule } from "../git/objects.ts";
import type { Checkout } from "./checkout.ts";
import { untouchedOf } from "./kept-back.ts";
import { quarantinedPaths } from "./quarantine.ts";
import { type ProvenFile, provenFiles } from "./verify-tree.ts";

/** A search for files of a commit that differ in the checkout. */
export interface DifferenceSearch {
  readonly checkout: Checkout;
  readonly commit: string;
  isProtected(path: string): boolean;
}

/**
 * The files whose bytes differ from the commit. Reads the files directly: git trusts its index and objects, which an
 * agent can write.
 */
export async function findDiffering(search: DifferenceSearch): Promise<readonly ProvenFile[]> {
  const { checkout, commit, isProtected } = search;
  const files = await provenFiles(checkout.store, commit);
  const quarantined = quarantinedPaths(checkout.gitDir);
  const isAside = (path: string) => quarantined.some((one) => path === one || path.startsWith(`${one}/`));
  const isUntouched = untouchedOf(checkout);
  const candidates = files.filter(
    ({ path, mode }) => mode !== submodule && isProtected(path) && !isAside(path) && !isUntouched(path),
  );
  const differing: ProvenFile[] = [];
  for (let at = 0; at < candidates.length; at += atOnce) {
    const some = candidates.slice(at, at + atOnce);
    const same = await Promise.all(some.map((file) => isSame(checkout.top, file)));
    differing.push(...some.filter((_, index) => same[index] !== true));
  }
  return differing;
}

/** The files among these that git would check out differently, even by its rules for line ends and the like. */
export async function verifyBytes(
  checkout: Checkout,
  files: readonly ProvenFile[],
): Promise<readonly string[]> {
  const named = await Promise.all(
    files.map(async (file) => ({ ...file, isPlain: await isPlain(onDisk(checkout.top, file.path)) })),
  );
  const candidates = named.filter(
    ({ mode, path, isPlain }) => isPlain && mode !== link && !/^"|\n/.test(path),
  );
  if (candidates.length === 0) return files.map(({ path }) => path);
  const stdin = candidates.map(({ path }) => `${bytes(path)}\n`).join("");
  const { out } = await checkout.git(["hash-object", "--stdin-paths"], { stdin, accept: [0, 128] });
  const names = out.split("\n");
  const right = new Set(candidates.filter(({ object }, at) => names[at] === object).map(({ path }) => path));
  return files.map(({ path }) => path).filter((path) => !right.has(path));
}

const isPlain = (path: string | Buffer) =>
  lstat(path).then(
    (stat) => stat.isFile(),
    () => false,
  );

const atOnce = 32;

async function isSame(top: string, { path, mode, object }: ProvenFile): Promise<boolean> {
  const body = await readBytes(onDisk(top, path), mode === link);
  return body !== undefined && objectId(formatOf(object), "blob", body) === object;
}

/** Reads a file or, if requested, a link. Never follows a link or reads a pipe. */
async function readBytes(path: string | Buffer, isLink: boolean): Promise<Buffer | undefined> {
  try {
    const stat = await lstat(path);
    if (isLink) return stat.isSymbolicLink() ? await readlink(path, { encoding: "buffer" }) : undefined;
    return stat.isFile() ? await readFile(path) : undefined;
  } catch {
    return undefined;
  }
}
