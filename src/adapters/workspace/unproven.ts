import { lstat, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { pathsAside } from "../aside.ts";
import type { Checkout } from "./checkout.ts";
import { bytes } from "./git.ts";
import { idOf, type ProvenFile, provenFiles } from "./proven-tree.ts";

/** Files of a commit, of those asked about, that may not be in the checkout as they are there. */
export interface Search {
  readonly checkout: Checkout;
  readonly commit: string;
  isProtected(path: string): boolean;
}

/**
 * The files whose bytes are not those of the commit. Read by ourselves: git believes its index and its objects, which an
 * agent can write.
 */
export async function findDiffering(search: Search): Promise<readonly ProvenFile[]> {
  const { checkout, commit, isProtected } = search;
  const files = await provenFiles(checkout.store, commit);
  const aside = pathsAside(checkout.gitDir);
  const isAside = (path: string) => aside.some((one) => path === one || path.startsWith(`${one}/`));
  const asked = files.filter(({ path, mode }) => mode !== submodule && isProtected(path) && !isAside(path));
  const differing: ProvenFile[] = [];
  for (let at = 0; at < asked.length; at += atOnce) {
    const some = asked.slice(at, at + atOnce);
    const same = await Promise.all(some.map((file) => isSame(checkout.top, file)));
    differing.push(...some.filter((_, index) => same[index] !== true));
  }
  return differing;
}

/** Of such files those that git does not make of the commit's bytes either, as by its line ends. */
export async function findWrong(
  checkout: Checkout,
  files: readonly ProvenFile[],
): Promise<readonly string[]> {
  const named = await Promise.all(
    files.map(async (file) => ({ ...file, isPlain: await isPlain(join(checkout.top, file.path)) })),
  );
  const asked = named.filter(({ mode, path, isPlain }) => isPlain && mode !== link && !/^"|\n/.test(path));
  if (asked.length === 0) return files.map(({ path }) => path);
  const stdin = asked.map(({ path }) => `${bytes(path)}\n`).join("");
  const { out } = await checkout.git(["hash-object", "--stdin-paths"], { stdin, accept: [0, 128] });
  const names = out.split("\n");
  const right = new Set(asked.filter(({ object }, at) => names[at] === object).map(({ path }) => path));
  return files.map(({ path }) => path).filter((path) => !right.has(path));
}

const isPlain = (path: string) =>
  lstat(path).then(
    (stat) => stat.isFile(),
    () => false,
  );

const submodule = "160000";
const link = "120000";
const atOnce = 32;

async function isSame(top: string, { path, mode, object }: ProvenFile): Promise<boolean> {
  const body = await readBytes(join(top, path), mode === link);
  return body !== undefined && idOf("blob", body, object.length) === object;
}

/** Of a file or, where that is asked, of a link; never through one, and not from a pipe. */
async function readBytes(path: string, isLink: boolean): Promise<Buffer | undefined> {
  try {
    const stat = await lstat(path);
    if (isLink) return stat.isSymbolicLink() ? await readlink(path, { encoding: "buffer" }) : undefined;
    return stat.isFile() ? await readFile(path) : undefined;
  } catch {
    return undefined;
  }
}
