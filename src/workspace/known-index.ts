import { stat } from "node:fs/promises";
import type { Checkout } from "./checkout.ts";

export interface Change {
  readonly path: string;
  /** File modes and ids of objects as git writes them; zeros if there is no such file. */
  readonly before: string;
  readonly beforeObject: string;
  readonly mode: string;
  readonly object: string;
  /** Lines; none of a binary file. */
  readonly added: number;
  readonly removed: number;
}

/** What is known of a private index, until its file is written again. */
export interface KnownIndex {
  /** The snapshot taken of it, if there is one. */
  readonly snapshot?: TakenSnapshot;
  /** What was known when the last snapshot was taken, if other files were staged since. */
  readonly last?: { readonly commit: string; readonly changes: Changes };
  /** How it differs from commits that it was compared with. */
  readonly changes: Changes;
}

type Changes = Map<string, readonly Change[]>;

export interface TakenSnapshot {
  readonly commit: string;
  readonly tree: string;
}

interface Stamped extends KnownIndex {
  /** Which file it was, and when it was last written. */
  readonly stamp: string;
}

const known = new Map<string, Stamped>();

/** What is known of the private index; nothing if anybody has written its file since. */
export async function knownIndex({ index }: Checkout): Promise<KnownIndex | undefined> {
  const last = known.get(index);
  return last !== undefined && last.stamp === (await stampOf(index)) ? last : undefined;
}

/** Remembers what the private index holds now. */
export async function rememberIndex({ index }: Checkout, about: KnownIndex): Promise<void> {
  known.set(index, { ...about, stamp: await stampOf(index) });
}

/** Which file the index is, and when it was last written. */
export async function stampOf(index: string): Promise<string> {
  // git writes no index for a folder without files
  const found = await stat(index, { bigint: true }).catch(() => undefined);
  return found === undefined ? "" : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
}
