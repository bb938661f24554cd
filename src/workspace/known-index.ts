import type { Checkout } from "./checkout.ts";
import { type IndexFolder, stampOf } from "./index-file.ts";

export interface Change {
  readonly path: string;
  /** File modes and object ids as git writes them; zeros if the file does not exist. */
  readonly before: string;
  readonly beforeObject: string;
  readonly mode: string;
  readonly object: string;
  /** Line counts; zero for a binary file. */
  readonly added: number;
  readonly removed: number;
}

/** What is known about a private index, valid until its file is written again. */
export interface KnownIndex {
  /** The snapshot taken of it, if there is one. */
  readonly snapshot?: TakenSnapshot;
  /** What was known at the last snapshot, if other files were staged since. */
  readonly last?: LastSnapshot;
  /** How the index differs from commits it was compared with. */
  readonly changes: Changes;
}

interface LastSnapshot {
  readonly commit: string;
  readonly changes: Changes;
  /** The files in the index then, if we could read it. */
  readonly files: IndexFolder | undefined;
}

type Changes = Map<string, readonly Change[]>;

export interface TakenSnapshot {
  readonly commit: string;
  readonly tree: string;
}

interface Stamped extends KnownIndex {
  /** Identifies the file and its last write. */
  readonly stamp: string;
}

const known = new Map<string, Stamped>();

/** What is known about the private index; `undefined` if its file was written since. */
export function knownIndex({ index }: Checkout): KnownIndex | undefined {
  const last = known.get(index);
  return last !== undefined && last.stamp === stampOf(index) ? last : undefined;
}

/** Records what is known about the private index now. */
export function rememberIndex({ index }: Checkout, about: KnownIndex): void {
  known.set(index, { ...about, stamp: stampOf(index) });
}
