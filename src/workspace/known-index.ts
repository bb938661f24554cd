import { stat } from "node:fs/promises";
import type { Checkout } from "./checkout.ts";

export interface Change {
  readonly path: string;
  /** File modes as git writes them; zeros if there is no such file. */
  readonly before: string;
  readonly after: string;
}

/** What is known of a private index, until its file is written again. */
export interface KnownIndex {
  /** The snapshot taken of it, if there is one. */
  readonly snapshot?: TakenSnapshot;
  /** How it differs from commits that it was compared with. */
  readonly changes: Map<string, readonly Change[]>;
}

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
export async function rememberIndex({ index }: Checkout, { snapshot, changes }: KnownIndex): Promise<void> {
  known.set(index, { ...(snapshot && { snapshot }), changes, stamp: await stampOf(index) });
}

/** Remembers that the private index holds the tree of this commit. */
export async function rememberSnapshot(checkout: Checkout, snapshot: TakenSnapshot): Promise<void> {
  const changes = (await knownIndex(checkout))?.changes ?? new Map();
  await rememberIndex(checkout, { snapshot, changes });
}

async function stampOf(index: string): Promise<string> {
  // git writes no index for a folder without files
  const found = await stat(index, { bigint: true }).catch(() => undefined);
  return found === undefined ? "" : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
}
