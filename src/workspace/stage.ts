import { bytes, type GitAnswer, readable } from "../git/git.ts";
import { formatOf } from "../git/objects.ts";
import type { Checkout } from "./checkout.ts";
import { gitlinksOf } from "./gitlinks.ts";
import { readIndexFile } from "./index-file.ts";
import { writeIndexTree } from "./index-tree.ts";
import { keepBack, keptFromIndex } from "./kept-back.ts";
import { type Change, knownIndex, rememberIndex, type TakenSnapshot } from "./known-index.ts";
import { quarantinedPaths } from "./quarantine.ts";
import { openUnreadable } from "./unreadable.ts";

/** The result of staging a checkout's files. */
export interface Staged {
  /** Folders that git could not add: repositories without a commit. */
  readonly unborn: readonly string[];
  /** Paths that git cannot read because they belong to another user; may contain duplicates. */
  readonly denied?: readonly string[];
  /** The snapshot that already contains all of this. */
  readonly snapshot?: TakenSnapshot;
  /** The tree of the index, if it was already written. */
  readonly tree?: string;
}

/** Updates the private index to match the files. */
export async function stageAll(checkout: Checkout): Promise<Staged> {
  const before = knownIndex(checkout);
  const files = before?.snapshot && readIndexFile(checkout);
  const { unborn, denied, isUnchanged, added } = await addAll(checkout);
  await keepBack(checkout, added);
  if (isUnchanged && before !== undefined) {
    rememberIndex(checkout, before);
    return { unborn, denied, ...(before.snapshot && { snapshot: before.snapshot }) };
  }
  const last = before?.snapshot && { commit: before.snapshot.commit, changes: before.changes, files };
  rememberIndex(checkout, { changes: new Map(), ...(last && { last }) });
  return { unborn, denied };
}

const left = new Map<string, Staged>();

/** Passes what was staged on to the next request for this checkout. */
export function leaveStaged({ index }: Checkout, staged: Staged): void {
  left.set(index, staged);
}

/** What the last request passed on, unless the private index was written since. Returned only once. */
export async function takeStaged(checkout: Checkout): Promise<Staged | undefined> {
  const staged = left.get(checkout.index);
  left.delete(checkout.index);
  return staged !== undefined && knownIndex(checkout) !== undefined ? staged : undefined;
}

/** The tree of the private index; blobs of a partial clone may be missing. */
export const writeTree = async (checkout: Checkout): Promise<string> =>
  (await checkout.git(["write-tree", "--missing-ok"])).out.trim();

/** The same if the changes compared with a commit are known; usually needs no git process. */
export const writeChangedTree = async (
  checkout: Checkout,
  commit: string,
  changes: readonly Change[],
): Promise<string> =>
  (await writeIndexTree(checkout, formatOf(commit), changes)) ?? (await writeTree(checkout));

interface Added {
  readonly unborn: readonly string[];
  readonly denied: readonly string[];
  /** True if the index already contained all of this. */
  readonly isUnchanged: boolean;
  readonly added: readonly string[];
}

async function addAll(checkout: Checkout): Promise<Added> {
  const gitlinks = await gitlinksOf(checkout);
  if (gitlinks.forget.length > 0) await forget(checkout, gitlinks.forget);
  const left = [
    ...[...quarantinedPaths(checkout.gitDir), ...keptFromIndex(checkout)].map(bytes),
    ...gitlinks.keep,
  ];
  const excluded = left.map((path) => `:(exclude,top,literal)${path}`);
  const args = [
    "add",
    "--all",
    "--verbose",
    "--ignore-errors",
    ...(excluded.length === 0 ? [] : ["--", ":/", ...excluded]),
  ];
  const { code, out, err } = await addReadable(checkout, args);
  const lines = err.split("\n");
  const denied = lines.flatMap((line) => unreadable.exec(line)?.slice(1) ?? []).filter(Boolean);
  const added = out
    .split(/\n(?=add '|remove '|$)/)
    .flatMap((line) => /^add '([\s\S]+)'$/.exec(line)?.[1] ?? []);
  const change = { denied, added: added.map(readable) };
  if (code === 0) return { ...change, unborn: [], isUnchanged: out === "" && gitlinks.forget.length === 0 };
  const errors = lines.filter((line) => /^(error|fatal): /.test(line));
  const nested = errors.map((line) => unborn.exec(line)?.[1]);
  const odd = errors.flatMap((line) => pipe.exec(line)?.[1] ?? []).map(bytes);
  if (odd.length > 0) await forget(checkout, odd);
  const isTold = (line: string) =>
    [unborn, pipe, unreadable, followsUnreadable].some((one) => one.test(line));
  const fault = errors.find((line) => !isTold(line));
  if (fault !== undefined) throw new Error(`git cannot take a snapshot of ${checkout.top}: ${fault}`);
  return { ...change, unborn: nested.filter((path) => path !== undefined), isUnchanged: false };
}

/** Stages the files. If a program made some of ours unreadable, makes them readable and tries again. */
async function addReadable(checkout: Checkout, args: readonly string[]): Promise<GitAnswer> {
  const add = () => checkout.git(args, { accept: [0, 1] });
  const added = await add().catch((error: Error) => error);
  const isDenied = mayBeDenied.test(added instanceof Error ? added.message : added.err);
  if (isDenied && (await openUnreadable(checkout))) {
    const again = await add();
    // What the first call could read is already in the index.
    return added instanceof Error ? again : { ...again, out: added.out + again.out };
  }
  if (added instanceof Error) throw added;
  return added;
}

const mayBeDenied = /: Permission denied$/m;

/** A file or folder of another user. */
const unreadable =
  /^(?:error: open\("(.+)"\)|warning: could not open directory '(.+?)\/?'): Permission denied$/;
const followsUnreadable = /^error: unable to index file /;

/** A nested repository after `git init` has no commit that a snapshot could refer to. */
const unborn = /^error: '(.+?)\/?' does not have a commit checked out$/;

/** A pipe or device in place of a file: the file is gone. */
const pipe = /^error: (.+): can only add regular files, symbolic links or git-directories$/;

/** Removes paths from the private index; paths have one character per byte. */
async function forget(checkout: Checkout, paths: readonly string[]): Promise<void> {
  const stdin = paths.map((path) => `${path}\0`).join("");
  await checkout.git(["update-index", "--force-remove", "-z", "--stdin"], { stdin });
}
