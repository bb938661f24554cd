import { lstatSync } from "node:fs";
import { join } from "node:path";
import { onDisk } from "../git/git.ts";
import { namesIn } from "../processes/lenient-reads.ts";
import type { Checkout } from "./checkout.ts";
import type { ChangedFile } from "./exclude-secrets.ts";

/** A changed file that GitHub would reject. */
export interface LargeFile {
  readonly path: string;
  /** Its size in bytes. */
  readonly size: number;
}

/** Size limits for files and snapshots, in bytes. */
export interface SizeLimits {
  /** GitHub rejects larger files: https://docs.github.com/en/repositories/working-with-files/managing-large-files */
  readonly accepted: number;
  /** Larger files are not searched for secrets. */
  readonly searched: number;
  /** From this size on, the total size of the snapshots is reported, and again each time it has doubled. */
  readonly stored: number;
}

const mib = 1024 * 1024;

export const usualSizes: SizeLimits = { accepted: 100 * mib, searched: 128 * mib, stored: 1024 * mib };

/** The last reported size of each private repository, in bytes. */
const reported = new Map<string, number>();

/** The size of the private repository's packs in bytes, if it should be reported: git packs each large file. */
export function sizeToReport({ store }: Checkout, { stored }: SizeLimits): number | undefined {
  const packs = join(store, "objects", "pack");
  const size = namesIn(packs).reduce((sum, name) => sum + sizeOf(join(packs, name)), 0);
  if (size < Math.max(stored, 2 * (reported.get(store) ?? 0))) return undefined;
  reported.set(store, size);
  return size;
}

/** The changed files that are too large for GitHub. Files that git stores as a pointer (Git LFS) count as small. */
export async function findLarge(
  checkout: Checkout,
  changes: readonly ChangedFile[],
  { accepted }: SizeLimits,
): Promise<readonly LargeFile[]> {
  const files = changes.filter(({ mode }) => mode.startsWith("100"));
  const sizes = files.map(({ path }) => sizeOf(onDisk(checkout.top, path)));
  const suspects = files.filter((_, at) => (sizes[at] ?? 0) > accepted);
  if (suspects.length === 0) return [];
  const stdin = suspects.map(({ object }) => `${object}\n`).join("");
  const { out } = await checkout.git(["cat-file", "--batch-check=%(objectsize)"], { stdin });
  const stored = out.split("\n").map(Number);
  return suspects.flatMap(({ path }, at) => {
    const size = stored[at] ?? 0;
    return size > accepted ? [{ path, size }] : [];
  });
}

function sizeOf(path: string | Buffer): number {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}
