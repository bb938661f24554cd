import { constants, type Stats } from "node:fs";
import { copyFile, lstat, mkdir, readFile, readlink, realpath, symlink } from "node:fs/promises";
import { dirname, isAbsolute, posix } from "node:path";
import { onDisk, readable } from "../git/git.ts";
import type { Checkout } from "./checkout.ts";
import { nestedRepositories } from "./gitlinks.ts";
import { filesBelow, inspectedAt } from "./ignored-files.ts";

interface CopyRequest {
  readonly checkout: Checkout;
  readonly clone: Checkout;
  /** The first snapshot of the loop. */
  readonly base: string;
}

/** Enough for installed packages and databases of tests. */
const mostFiles = 50_000;
const mostBytes = 1024 ** 3;

/**
 * Copies to a clone what git ignores, and the files of submodules, if nothing has touched them since before the first
 * agent. The kernel sets the time of a file's last change, and no program can set it back. Returns the copied paths.
 */
export async function copyUntouched({ checkout, clone, base }: CopyRequest): Promise<readonly string[]> {
  const before = inspectedAt(checkout, base);
  if (before === undefined) return [];
  const copied: string[] = [];
  let room = mostBytes;
  for (const path of await listOutside(checkout)) {
    const [from, to] = [onDisk(checkout.top, path), onDisk(clone.top, path)];
    const stat = await lstat(from, { bigint: true }).catch(() => undefined);
    if (stat === undefined || stat.ctimeNs >= before || (await isThere(to))) continue;
    const size = Number(stat.size);
    if (copied.length >= mostFiles || size > room) continue;
    const isCopied = stat.isSymbolicLink()
      ? await copyLink(from, to, { path, before })
      : stat.isFile() && (await copyPlain(from, to, { top: checkout.top, size }));
    if (!isCopied) continue;
    room -= size;
    copied.push(path);
  }
  return copied;
}

/** The ignored files, and those of submodules. */
async function listOutside(checkout: Checkout): Promise<readonly string[]> {
  const { out } = await checkout.git(["ls-files", "--others", "--ignored", "--exclude-standard", "-z"]);
  const ignored = out.split("\0").filter((path) => path !== "" && !path.endsWith("/"));
  const folders = await nestedRepositories(checkout);
  const inner = await Promise.all(folders.map((path) => filesBelow(checkout.top, readable(path), ".git")));
  return [...ignored.map(readable), ...inner.flat().filter((path) => !path.endsWith("/.git"))];
}

const isThere = (path: string | Buffer): Promise<boolean> =>
  lstat(path).then(
    (_: Stats) => true,
    () => false,
  );

interface Link {
  /** Relative to the checkout's top. */
  readonly path: string;
  readonly before: bigint;
}

/** A link that leads out of the checkout, as to a system's Python, counts if its target is an untouched file. */
async function copyLink(
  from: string | Buffer,
  to: string | Buffer,
  { path, before }: Link,
): Promise<boolean> {
  const target = await readlink(from);
  if (isAbsolute(target) || posix.join(dirname(path), target).startsWith("../")) {
    const stat = await lstat(await realpath(from).catch(() => from), { bigint: true });
    if (!stat.isFile() || stat.ctimeNs >= before) return false;
  }
  await makeParent(to);
  await symlink(target, to);
  return true;
}

/** A larger file is no program's start script or list of folders. */
const mostSearched = 1024 * 1024;

interface PlainFile {
  /** The checkout's top. */
  readonly top: string;
  readonly size: number;
}

/** A file that names the checkout, such as the start script of a virtual environment, would lead there too. */
async function copyPlain(
  from: string | Buffer,
  to: string | Buffer,
  { top, size }: PlainFile,
): Promise<boolean> {
  if (size <= mostSearched && (await readFile(from)).includes(top)) return false;
  await makeParent(to);
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  return true;
}

const makeParent = (path: string | Buffer) =>
  mkdir(typeof path === "string" ? dirname(path) : Buffer.from(dirname(path.toString("latin1")), "latin1"), {
    recursive: true,
  });
