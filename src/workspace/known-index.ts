import { stat } from "node:fs/promises";
import type { Checkout } from "./checkout.ts";

/** What a private index held when a snapshot had been taken of it. */
interface KnownIndex {
  readonly commit: string;
  readonly tree: string;
  /** Which file it was, and when it was last written. */
  readonly stamp: string;
}

const known = new Map<string, KnownIndex>();

/** Remembers that the private index holds the tree of this commit. */
export async function rememberIndex(
  { index }: Checkout,
  { commit, tree }: { readonly commit: string; readonly tree: string },
): Promise<void> {
  known.set(index, { commit, tree, stamp: await stampOf(index) });
}

/** The tree of a commit if the private index holds it: nobody has written the index since it was remembered. */
export async function knownTree({ index }: Checkout, commit: string): Promise<string | undefined> {
  const last = known.get(index);
  return last?.commit === commit && last.stamp === (await stampOf(index)) ? last.tree : undefined;
}

async function stampOf(index: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(index, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(" ");
}
