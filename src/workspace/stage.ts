import { bytes } from "../git/git.ts";
import { formatOf } from "../git/objects.ts";
import type { Checkout } from "./checkout.ts";
import { gitlinksOf } from "./gitlinks.ts";
import { writeIndexTree } from "./index-tree.ts";
import { type Change, knownIndex, rememberIndex, type TakenSnapshot } from "./known-index.ts";
import { quarantinedPaths } from "./quarantine.ts";

/** How the files of a checkout were staged. */
export interface Staged {
  /** Folders git could not take in: repositories without a commit. */
  readonly unborn: readonly string[];
  /** The snapshot that already holds all this. */
  readonly snapshot?: TakenSnapshot;
  /** The tree of the index, if it was written already. */
  readonly tree?: string;
}

/** Brings the private index level with the files. */
export async function stageAll(checkout: Checkout): Promise<Staged> {
  const before = await knownIndex(checkout);
  const { unborn, isUnchanged } = await addAll(checkout);
  if (isUnchanged && before !== undefined) {
    await rememberIndex(checkout, before);
    return { unborn, ...(before.snapshot && { snapshot: before.snapshot }) };
  }
  const last = before?.snapshot && { commit: before.snapshot.commit, changes: before.changes };
  await rememberIndex(checkout, { changes: new Map(), ...(last && { last }) });
  return { unborn };
}

const left = new Map<string, Staged>();

/** Leaves what was staged to the next request for this checkout. */
export function leaveStaged({ index }: Checkout, staged: Staged): void {
  left.set(index, staged);
}

/** What the last request left, unless the private index was written since. It is given once. */
export async function takeStaged(checkout: Checkout): Promise<Staged | undefined> {
  const staged = left.get(checkout.index);
  left.delete(checkout.index);
  return staged !== undefined && (await knownIndex(checkout)) !== undefined ? staged : undefined;
}

/** The tree of what the private index holds; the blobs of a partial clone need not be here. */
export const writeTree = async (checkout: Checkout): Promise<string> =>
  (await checkout.git(["write-tree", "--missing-ok"])).out.trim();

/** The same if it is known how the index differs from a commit, which mostly takes no process. */
export const writeChangedTree = async (
  checkout: Checkout,
  commit: string,
  changes: readonly Change[],
): Promise<string> =>
  (await writeIndexTree(checkout, formatOf(commit), changes)) ?? (await writeTree(checkout));

interface Added {
  readonly unborn: readonly string[];
  /** True if the index held all this before. */
  readonly isUnchanged: boolean;
}

async function addAll(checkout: Checkout): Promise<Added> {
  const gitlinks = await gitlinksOf(checkout);
  if (gitlinks.forget.length > 0) await forget(checkout, gitlinks.forget);
  const left = [...quarantinedPaths(checkout.gitDir).map(bytes), ...gitlinks.keep];
  const aside = left.map((path) => `:(exclude,top,literal)${path}`);
  const args = [
    "add",
    "--all",
    "--verbose",
    "--ignore-errors",
    ...(aside.length === 0 ? [] : ["--", ":/", ...aside]),
  ];
  const { code, out, err } = await checkout.git(args, { accept: [0, 1] });
  if (code === 0) return { unborn: [], isUnchanged: out === "" && gitlinks.forget.length === 0 };
  const lines = err.split("\n").filter((line) => /^(error|fatal): /.test(line));
  const nested = lines.map((line) => unborn.exec(line)?.[1]);
  const odd = lines.flatMap((line) => pipe.exec(line)?.[1] ?? []).map(bytes);
  if (odd.length > 0) await forget(checkout, odd);
  const unread = lines.filter((line) => !unborn.test(line) && !pipe.test(line));
  if (unread.length > 0) throw new Error(`git cannot take a snapshot of ${checkout.top}: ${unread[0]}`);
  return { unborn: nested.filter((path) => path !== undefined), isUnchanged: false };
}

/** A repository inside the checkout, as `git init` leaves it, has no commit that a snapshot could name. */
const unborn = /^error: '(.+?)\/?' does not have a commit checked out$/;

/** A pipe or a device in the place of a file: the file is gone. */
const pipe = /^error: (.+): can only add regular files, symbolic links or git-directories$/;

/** Removes paths, with one character per byte, from the private index. */
async function forget(checkout: Checkout, paths: readonly string[]): Promise<void> {
  const stdin = paths.map((path) => `${path}\0`).join("");
  await checkout.git(["update-index", "--force-remove", "-z", "--stdin"], { stdin });
}
