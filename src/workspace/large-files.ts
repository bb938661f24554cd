import { lstat } from "node:fs/promises";
import { onDisk } from "../git/git.ts";
import type { Checkout } from "./checkout.ts";
import type { ChangedFile } from "./exclude-secrets.ts";

/** A changed file that GitHub would refuse. */
export interface LargeFile {
  readonly path: string;
  /** Its size in bytes. */
  readonly size: number;
}

/** From which size on files are treated in another way, in bytes. */
export interface SizeLimits {
  /** GitHub refuses larger files: https://docs.github.com/en/repositories/working-with-files/managing-large-files */
  readonly accepted: number;
  /** Larger files are not searched for secrets. */
  readonly searched: number;
}

export const usualSizes: SizeLimits = { accepted: 100 * 1024 * 1024, searched: 128 * 1024 * 1024 };

/** The changed files that are too large for GitHub. What git stores as a pointer, as for Git LFS, is small. */
export async function findLarge(
  checkout: Checkout,
  changes: readonly ChangedFile[],
  { accepted }: SizeLimits,
): Promise<readonly LargeFile[]> {
  const files = changes.filter(({ mode }) => mode.startsWith("100"));
  const sizes = await Promise.all(files.map(({ path }) => sizeOf(onDisk(checkout.top, path))));
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

const sizeOf = (path: string | Buffer) =>
  lstat(path).then(
    ({ size }) => size,
    () => 0,
  );
