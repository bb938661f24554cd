import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strike } from "../../ports/secret.ts";
import type { WorkspaceAnswer } from "../../ports/workspace.ts";
import { pathsAside } from "../aside.ts";
import type { Checkout } from "./checkout.ts";
import { bytes, readable } from "./git.ts";
import { readHead } from "./repository.ts";
import { type ChangedFile, findSecrets, withheldTrailer } from "./withhold.ts";

/** A commit of the checkout as it is, kept in the private repository, with its tree and what it changed. */
export interface Snapshot {
  readonly commit: string;
  readonly tree: string;
  readonly diff: NonNullable<WorkspaceAnswer["diff"]>;
  /** Files it has as they were before, as they hold a secret now. */
  readonly withheld?: string[];
  /** Folders whose files it has not, as each is a git repository of its own that is new there. */
  readonly nested?: string[];
}

export interface SnapshotOptions {
  readonly since: string | undefined;
  readonly message: string;
  /** Folders whose changes are not taken in, from the checkout's top. */
  readonly leaveOut?: readonly string[];
}

/** Commits everything not ignored on top of `since`, or of the commit the checkout stands on; no secret goes along. */
export async function takeSnapshot(
  checkout: Checkout,
  { since, message, leaveOut = [] }: SnapshotOptions,
): Promise<Snapshot> {
  const readingHead = since === undefined ? readHead(checkout.top, checkout.signal) : undefined;
  const [head, unborn] = await Promise.all([readingHead, stageAll(checkout)]);
  const parent = since ?? head?.commit;
  // A run mostly begins in a checkout where nothing differs from its commit.
  if (head !== undefined && (await writeTree(checkout)) === head.tree) {
    const commit = await commitTree(checkout, { tree: head.tree, parents: [head.commit], message });
    return { commit, tree: head.tree, diff: diffOf([]), ...naming(unborn) };
  }
  if (parent !== undefined && leaveOut.length > 0) await unstage(checkout, parent, leaveOut);
  const made = await commitIndex(checkout, { parent, message });
  const changes = await readChanges(checkout, ["--root", made.commit]);
  const nested = naming([...unborn, ...changes.filter(({ isNested }) => isNested).map(({ path }) => path)]);
  const withheld = await findSecrets(checkout, changes);
  if (withheld.length === 0) return { ...made, diff: diffOf(changes), ...nested };
  await forgetSnapshot(checkout, made.commit);
  await unstage(checkout, parent, withheld);
  const names = withheld.map(
    (path) => `${withheldTrailer} ${JSON.stringify(strike(path, checkout.secrets))}`,
  );
  const clean = await commitIndex(checkout, { parent, message: `${message}\n\n${names.join("\n")}\n` });
  const left = await readChanges(checkout, ["--root", clean.commit]);
  return { ...clean, diff: diffOf(left), withheld: withheld.slice(0, 50), ...nested };
}

const naming = (nested: readonly string[]): Pick<Snapshot, "nested"> =>
  nested.length === 0 ? {} : { nested: nested.slice(0, 50) };

async function commitIndex(
  checkout: Checkout,
  { parent, message }: { readonly parent: string | undefined; readonly message: string },
): Promise<Pick<Snapshot, "commit" | "tree">> {
  const tree = await writeTree(checkout);
  const parents = parent === undefined ? [] : [parent];
  return { tree, commit: await commitTree(checkout, { tree, parents, message }) };
}

/** The tree of what the private index holds; the blobs of a partial clone need not be here. */
const writeTree = async (checkout: Checkout) =>
  (await checkout.git(["write-tree", "--missing-ok"])).out.trim();

const forgetSnapshot = ({ store }: Checkout, commit: string) =>
  rm(join(store, "refs", "snapshots", commit), { force: true });

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
  const odd = lines.flatMap((line) => pipe.exec(line)?.[1] ?? []);
  if (odd.length > 0) await forget(checkout, odd);
  const unread = lines.filter((line) => !unborn.test(line) && !pipe.test(line));
  if (unread.length > 0) throw new Error(`git cannot take a snapshot of ${checkout.top}: ${unread[0]}`);
  return nested.filter((path) => path !== undefined);
}

/** A repository inside the checkout, as `git init` leaves it, has no commit that a snapshot could name. */
const unborn = /^error: '(.+?)\/?' does not have a commit checked out$/;

/** A pipe or a device in the place of a file: the file is gone. */
const pipe = /^error: (.+): can only add regular files, symbolic links or git-directories$/;

async function forget(checkout: Checkout, paths: readonly string[]): Promise<void> {
  const stdin = paths.map((path) => `${bytes(path)}\0`).join("");
  await checkout.git(["update-index", "--force-remove", "-z", "--stdin"], { stdin });
}

/** Puts paths in the private index back as they are in a commit, or out of it where there is none; the files stay. */
async function unstage(
  checkout: Checkout,
  commit: string | undefined,
  paths: readonly string[],
): Promise<void> {
  const stdin = paths.map((path) => `:(top,literal)${bytes(path)}\0`).join("");
  const which = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  const back =
    commit === undefined
      ? ["rm", "--cached", "--quiet", "--ignore-unmatch", ...which]
      : ["reset", "--quiet", ...which, commit];
  await checkout.git(back, { stdin });
}

/** What changed between two trees, or from its parent to a commit. */
export const readDiff = async (checkout: Checkout, between: readonly string[]): Promise<Snapshot["diff"]> =>
  diffOf(await readChanges(checkout, between));

interface Change extends ChangedFile {
  readonly added: number;
  readonly removed: number;
  /** Whether a repository of its own has come to stand there. */
  readonly isNested: boolean;
}

async function readChanges(checkout: Checkout, between: readonly string[]): Promise<readonly Change[]> {
  const format = ["--no-commit-id", "-r", "--raw", "--numstat", "--no-abbrev", "-z", "--no-renames"];
  const plain = ["--no-ext-diff", "--no-textconv"];
  const { out } = await checkout.git(["diff-tree", ...format, ...plain, ...between]);
  const files = new Map<string, Pick<Change, "mode" | "object" | "isNested">>();
  const fields = out.split("\0");
  // First a row and a path for each file, then a row with both and the lines.
  let at = 0;
  for (; fields[at]?.startsWith(":"); at += 2) {
    const [before, mode = "", , object = ""] = (fields[at] ?? "").split(" ");
    const isNested = mode === "160000" && before !== ":160000";
    files.set(fields[at + 1] ?? "", { mode, object, isNested });
  }
  return fields.slice(at).flatMap((row) => {
    const [, added, removed, path = ""] = /^(\S+)\t(\S+)\t([\s\S]+)$/.exec(row) ?? [];
    const file = files.get(path);
    if (file === undefined) return [];
    return [{ ...file, added: count(added), removed: count(removed), path: readable(path) }];
  });
}

function diffOf(changes: readonly Change[]): Snapshot["diff"] {
  return {
    files: changes.length,
    added: changes.reduce((sum, { added }) => sum + added, 0),
    removed: changes.reduce((sum, { removed }) => sum + removed, 0),
    paths: changes.slice(0, 50).map(({ path }) => path),
  };
}

/** Binary files have no lines; git prints a dash. */
function count(lines: string | undefined): number {
  return Number(lines) || 0;
}
