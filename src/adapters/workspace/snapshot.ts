import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceAnswer } from "../../ports/workspace.ts";
import { pathsAside } from "../aside.ts";
import type { Checkout } from "./checkout.ts";
import { bytes, readable } from "./git.ts";
import { readHead } from "./repository.ts";

/** A commit of the checkout as it is, kept in the private repository, with its tree and what it changed. */
export interface Snapshot {
  readonly commit: string;
  readonly tree: string;
  readonly diff: NonNullable<WorkspaceAnswer["diff"]>;
}

export interface SnapshotOptions {
  readonly since: string | undefined;
  readonly message: string;
  /** Folders whose changes are not taken in, from the checkout's top. */
  readonly leaveOut?: readonly string[];
}

/** Commits everything not ignored on top of `since`, or of the commit the checkout stands on. */
export async function takeSnapshot(
  checkout: Checkout,
  { since, message, leaveOut = [] }: SnapshotOptions,
): Promise<Snapshot> {
  await stageAll(checkout);
  const parent = since ?? (await readHead(checkout.top, checkout.signal));
  if (parent !== undefined && leaveOut.length > 0) await unstage(checkout, parent, leaveOut);
  // the blobs of a partial clone need not be here
  const tree = (await checkout.git(["write-tree", "--missing-ok"])).out.trim();
  const commit = await commitTree(checkout, { tree, parents: parent === undefined ? [] : [parent], message });
  return { commit, tree, diff: await readDiff(checkout, ["--root", commit]) };
}

/** Commits a tree and keeps the commit reachable. */
export async function commitTree(
  checkout: Checkout,
  commit: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
): Promise<string> {
  const parents = commit.parents.flatMap((parent) => ["-p", parent]);
  const stdin = Buffer.from(commit.message || "snapshot", "utf8").toString("latin1");
  const made = await checkout.git(["commit-tree", commit.tree, ...parents, "-F", "-"], { stdin });
  const id = made.out.trim();
  await writeRef(checkout, `snapshots/${id}`, id);
  return id;
}

/** Points a ref of the private repository; one write instead of a process, as the repository is ours alone. */
export async function writeRef(checkout: Checkout, name: string, commit: string): Promise<void> {
  const path = join(checkout.store, "refs", name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, `${commit}\n`);
}

/** Brings the private index level with the files; answers the folders git could not take in (nested repositories). */
export async function stageAll(checkout: Checkout): Promise<readonly string[]> {
  const aside = pathsAside(checkout.gitDir).map((path) => `:(exclude,top,literal)${bytes(path)}`);
  const args = ["add", "--all", "--ignore-errors", ...(aside.length === 0 ? [] : ["--", ":/", ...aside])];
  const { code, err } = await checkout.git(args, { accept: [0, 1] });
  if (code === 0) return [];
  const lines = err.split("\n").filter((line) => /^(error|fatal): /.test(line));
  const nested = lines.map((line) => unborn.exec(line)?.[1]);
  const unread = lines.filter((line) => !unborn.test(line));
  if (unread.length > 0) throw new Error(`git cannot take a snapshot of ${checkout.top}: ${unread[0]}`);
  return nested.filter((path) => path !== undefined);
}

/** A repository inside the checkout, as `git init` leaves it, has no commit that a snapshot could name. */
const unborn = /^error: '(.+?)\/?' does not have a commit checked out$/;

/** Puts folders in the private index back as they are in a commit; the files stay. */
async function unstage(checkout: Checkout, commit: string, folders: readonly string[]): Promise<void> {
  const paths = folders.map((folder) => `:(top,literal)${folder}`);
  const same = ["diff-index", "--cached", "--quiet", commit, "--", ...paths];
  if ((await checkout.git(same, { accept: [0, 1] })).code === 0) return;
  await checkout.git(["reset", "--quiet", commit, "--", ...paths]);
}

/** What changed between two trees, or from its parent to a commit. */
export async function readDiff(checkout: Checkout, between: readonly string[]): Promise<Snapshot["diff"]> {
  const format = [
    "--no-commit-id",
    "-r",
    "--numstat",
    "-z",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
  ];
  const { out } = await checkout.git(["diff-tree", ...format, ...between]);
  const rows = out.split("\0").flatMap((row) => {
    const [, added, removed, path] = /^(\S+)\t(\S+)\t([\s\S]+)$/.exec(row) ?? [];
    return path === undefined ? [] : [{ added: count(added), removed: count(removed), path: readable(path) }];
  });
  return {
    files: rows.length,
    added: rows.reduce((sum, row) => sum + row.added, 0),
    removed: rows.reduce((sum, row) => sum + row.removed, 0),
    paths: rows.slice(0, 50).map((row) => row.path),
  };
}

/** Binary files have no lines; git prints a dash. */
function count(lines: string | undefined): number {
  return Number(lines) || 0;
}
