import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { constants, copyFile, lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { onDisk } from "../git/git.ts";
import type { Checkout } from "./checkout.ts";

/** A file as it was before any agent started. */
export interface FileRecord {
  readonly size: number;
  /** Of its content, SHA-256. */
  readonly hash: string;
  /** Whether the run has a copy of it. */
  readonly isCopied: boolean;
}

/** The most that the copies of one checkout take, in bytes. */
export const mostCopied = 64 * 2 ** 20;

const folderOf = ({ dir }: Pick<Checkout, "dir">) => join(dir, "ignored-files");

/** Records regular files, and copies the smallest ones, as many as there is room for; other paths are left out. */
export async function recordFiles(
  checkout: Checkout,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileRecord>> {
  const sizes = await Promise.all(paths.map(async (path) => ({ path, size: await sizeOf(checkout, path) })));
  const records = new Map<string, FileRecord>();
  let left = mostCopied;
  for (const { path, size } of sizes.toSorted((a, b) => (a.size ?? 0) - (b.size ?? 0))) {
    const hash = size === undefined ? undefined : await hashOf(onDisk(checkout.top, path));
    if (size === undefined || hash === undefined) continue;
    const isCopied = size <= left && (await copy(checkout, path, hash));
    if (isCopied) left -= size;
    records.set(path, { size, hash, isCopied });
  }
  return records;
}

async function copy(checkout: Checkout, path: string, hash: string): Promise<boolean> {
  const folder = folderOf(checkout);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Files with the same content share a copy, and file systems that can share blocks do.
  await copyFile(onDisk(checkout.top, path), join(folder, hash), constants.COPYFILE_FICLONE);
  return (await hashOf(join(folder, hash))) === hash;
}

/** Whether a file still has the recorded content. */
export async function isUnchanged(checkout: Checkout, path: string, record: FileRecord): Promise<boolean> {
  if ((await sizeOf(checkout, path)) !== record.size) return false;
  return (await hashOf(onDisk(checkout.top, path))) === record.hash;
}

/** The path of a file's copy; throws if there is none, or if something changed it. */
export async function copyOf(checkout: Checkout, path: string, record: FileRecord): Promise<string> {
  const place = join(folderOf(checkout), record.hash);
  if (record.isCopied && (await hashOf(place)) === record.hash) return place;
  throw new Error(`${path} was changed, git ignores it, and there is no copy of it`);
}

async function sizeOf({ top }: Checkout, path: string): Promise<number | undefined> {
  const stat = await lstat(onDisk(top, path)).catch(() => undefined);
  return stat?.isFile() ? stat.size : undefined;
}

/** `undefined` if it cannot be read. */
async function hashOf(path: string | Buffer): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest("hex");
  } catch {
    return undefined;
  }
}
