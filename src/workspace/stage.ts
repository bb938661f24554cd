import { bytes, type GitAnswer } from "../git/git.ts";
import { formatOf } from "../git/objects.ts";
import type { Checkout } from "./checkout.ts";
import { gitlinksOf } from "./gitlinks.ts";
import { writeIndexTree } from "./index-tree.ts";
import { type Change, knownIndex, rememberIndex, type TakenSnapshot } from "./known-index.ts";
import { quarantinedPaths } from "./quarantine.ts";
import { openUnreadable } from "./unreadable.ts";

/** How the files of a checkout were staged. */
export interface Staged {
  /** Folders git could not take in: repositories without a commit. */
  readonly unborn: readonly string[];
  /** What git may not read, as it belongs to another user; at least once each. */
  readonly denied?: readonly string[];
  /** The snapshot that already holds all this. */
  readonly snapshot?: TakenSnapshot;
  /** The tree of the index, if it was written already. */
  readonly tree?: string;
}

/** Brings the private index level with the files. */
export async function stageAll(checkout: Checkout): Promise<Staged> {
  const before = await knownIndex(checkout);
  const { unborn, denied, isUnchanged } = await addAll(checkout);
  if (isUnchanged && before !== undefined) {
    await rememberIndex(checkout, before);
    return { unborn, denied, ...(before.snapshot && { snapshot: before.snapshot }) };
  }
  const last = before?.snapshot && { commit: before.snapshot.commit, changes: before.changes };
  await rememberIndex(checkout, { changes: new Map(), ...(last && { last }) });
  return { unborn, denied };
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
  readonly denied: readonly string[];
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
  const { code, out, err } = await addReadable(checkout, args);
  const lines = err.split("\n");
  const denied = lines.flatMap((line) => unreadable.exec(line)?.slice(1) ?? []).filter(Boolean);
  if (code === 0) return { unborn: [], denied, isUnchanged: out === "" && gitlinks.forget.length === 0 };
  const errors = lines.filter((line) => /^(error|fatal): /.test(line));
  const nested = errors.map((line) => unborn.exec(line)?.[1]);
  const odd = errors.flatMap((line) => pipe.exec(line)?.[1] ?? []).map(bytes);
  if (odd.length > 0) await forget(checkout, odd);
  const isTold = (line: string) =>
    [unborn, pipe, unreadable, followsUnreadable].some((one) => one.test(line));
  const fault = errors.find((line) => !isTold(line));
  if (fault !== undefined) throw new Error(`git cannot take a snapshot of ${checkout.top}: ${fault}`);
  return { unborn: nested.filter((path) => path !== undefined), denied, isUnchanged: false };
}

/** What a program has made unreadable is made readable for git, if it is ours. */
async function addReadable(checkout: Checkout, args: readonly string[]): Promise<GitAnswer> {
  const add = () => checkout.git(args, { accept: [0, 1] });
  const added = await add().catch((error: Error) => error);
  if (mayBeDenied.test(added instanceof Error ? added.message : added.err)) {
    if (await openUnreadable(checkout)) {
      const again = await add();
      // What the first call could read is in the index by now.
      return added instanceof Error ? again : { ...again, out: added.out + again.out };
    }
  }
  if (added instanceof Error) throw added;
  return added;
}

const mayBeDenied = /: Permission denied$/m;

/** A file or a folder of another user. */
const unreadable =
  /^(?:error: open\("(.+)"\)|warning: could not open directory '(.+?)\/?'): Permission denied$/;
const followsUnreadable = /^error: unable to index file /;

/** A repository inside the checkout, as `git init` leaves it, has no commit that a snapshot could name. */
const unborn = /^error: '(.+?)\/?' does not have a commit checked out$/;

/** A pipe or a device in the place of a file: the file is gone. */
const pipe = /^error: (.+): can only add regular files, symbolic links or git-directories$/;

/** Removes paths, with one character per byte, from the private index. */
async function forget(checkout: Checkout, paths: readonly string[]): Promise<void> {
  const stdin = paths.map((path) => `${path}\0`).join("");
  await checkout.git(["update-index", "--force-remove", "-z", "--stdin"], { stdin });
}
