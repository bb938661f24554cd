import { renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readable } from "../git/git.ts";
import { formatOf, submodule, writeCommit } from "../git/objects.ts";
import { redactSecrets } from "../ports/redact-secrets.ts";
import type { WorkspaceAnswer } from "../ports/workspace.ts";
import { makeFolder } from "../processes/make-folder.ts";
import { randomName } from "../processes/random-name.ts";
import { listChanges, readChanges } from "./changes.ts";
import type { Checkout } from "./checkout.ts";
import { excludedTrailer, findSecrets } from "./exclude-secrets.ts";
import { unstage } from "./index-changes.ts";
import { withheldBy } from "./kept-back.ts";
import { type Change, type KnownIndex, knownIndex, rememberIndex } from "./known-index.ts";
import { findLarge, type SizeLimits, sizeToReport, usualSizes } from "./large-files.ts";
import { readHead } from "./repository.ts";
import { type Staged, stageAll, writeChangedTree, writeTree } from "./stage.ts";

/** A commit of the checkout in the private repository, with its tree and its changes. */
export interface Snapshot
  extends Pick<
    WorkspaceAnswer,
    "withheld" | "credentials" | "filtered" | "large" | "stored" | "unreadable" | "nested"
  > {
  readonly commit: string;
  readonly tree: string;
  readonly diff: NonNullable<WorkspaceAnswer["diff"]>;
}

export interface SnapshotOptions {
  readonly since: string | undefined;
  readonly message: string;
  /** Folders whose changes are ignored, relative to the checkout's top. */
  readonly leaveOut?: readonly string[];
  /** What was just staged, if no file has changed since; otherwise the files are staged here. */
  readonly staged?: Staged | undefined;
  readonly sizes?: SizeLimits;
}

/** Commits everything that is not ignored, on top of `since` or of the checked-out commit, without secrets. */
export async function takeSnapshot(
  checkout: Checkout,
  { since, message, leaveOut = [], staged, sizes = usualSizes }: SnapshotOptions,
): Promise<Snapshot> {
  const readingHead = since === undefined ? readHead(checkout.top, checkout.signal) : undefined;
  const [head, { unborn, denied = [], snapshot: same, tree: written }] = await Promise.all([
    readingHead,
    staged ?? stageAll(checkout),
  ]);
  const parent = since ?? head?.commit;
  const unseen = { ...naming("unreadable", [...new Set(denied)]), ...withheldBy(checkout) };
  const known = knownIndex(checkout);
  const keep = ({ tree, of }: Pick<IndexRead, "tree" | "of">, text = message) => {
    const parents = parent === undefined ? [] : [parent];
    const commit = keepCommit(checkout, { tree, parents, message: text });
    rememberIndex(checkout, { snapshot: { commit, tree }, changes: of?.changes ?? new Map() });
    return { commit, tree };
  };
  const unchanged = (tree: string) => ({
    ...keep({ tree, of: known }),
    diff: diffOf([]),
    ...naming("nested", unborn),
    ...unseen,
  });
  if (same !== undefined && same.commit === since) return unchanged(same.tree);
  // Most runs start in a checkout without changes.
  if (head !== undefined && (written ?? (await writeTree(checkout))) === head.tree)
    return unchanged(head.tree);
  const read = await readWithout(checkout, { parent, folders: leaveOut, written });
  const { changes } = read;
  const nested = naming("nested", [...unborn, ...changes.filter(isNested).map(({ path }) => path)]);
  const withheld = await findSecrets(checkout, changes, sizes.searched);
  const large = await findLarge(checkout, changes, sizes);
  const isSearched = (path: string) =>
    !large.some((file) => file.path === path && file.size > sizes.searched);
  const secret = withheld.filter(isSearched);
  const stored = sizeToReport(checkout, sizes);
  const named = {
    ...nested,
    ...unseen,
    ...(stored !== undefined && { stored }),
    ...(large.length > 0 && {
      large: large.slice(0, 50).map((file) => ({ ...file, kept: !withheld.includes(file.path) })),
    }),
    ...(secret.length > 0 && { withheld: secret.slice(0, 50) }),
  };
  if (withheld.length === 0) return { ...keep(read), diff: diffOf(changes), ...named };
  await unstage(checkout, parent, withheld);
  const names = withheld.map(
    (path) => `${excludedTrailer} ${JSON.stringify(redactSecrets(path, checkout.secrets))}`,
  );
  const clean = await readIndex(checkout, parent);
  const kept = keep(clean, `${message}\n\n${names.join("\n")}\n`);
  return { ...kept, diff: diffOf(clean.changes), ...named };
}

const naming = (what: "nested" | "unreadable", paths: readonly string[]): Partial<Snapshot> =>
  paths.length === 0 ? {} : { [what]: paths.slice(0, 50) };

interface IndexRead {
  readonly tree: string;
  readonly changes: readonly Change[];
  /** What else is known about the index at the time of reading. */
  readonly of: KnownIndex | undefined;
}

interface Reading {
  readonly parent: string | undefined;
  readonly folders: readonly string[];
  readonly written: string | undefined;
}

/** The tree and changes of the private index, without the changes in some folders. */
async function readWithout(checkout: Checkout, { parent, folders, written }: Reading): Promise<IndexRead> {
  const read = await readIndex(checkout, parent, written);
  const isLeftOut = ({ path }: Change) => folders.some((at) => path === at || path.startsWith(`${at}/`));
  if (parent === undefined || !read.changes.some(isLeftOut)) return read;
  await unstage(checkout, parent, folders);
  return await readIndex(checkout, parent);
}

/** The tree of the private index, and its changes compared with a commit or with nothing. */
async function readIndex(
  checkout: Checkout,
  parent: string | undefined,
  written?: string,
): Promise<IndexRead> {
  // Writing the tree may rewrite the index file, but not its entries.
  const of = knownIndex(checkout);
  if (parent === undefined) {
    const tree = written ?? (await writeTree(checkout));
    const nothing = emptyTrees[formatOf(tree)];
    return { tree, changes: await readChanges(checkout, ["diff-tree", nothing, tree]), of };
  }
  const changes = await listChanges(checkout, parent, of);
  return { tree: written ?? (await writeChangedTree(checkout, parent, changes)), changes, of };
}

const isNested = ({ before, mode }: Change) => mode === submodule && before !== submodule;

/** The ids of the empty tree, which git knows without an object. */
const emptyTrees = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/** Commits a tree without starting git, and creates a ref that keeps the commit reachable. */
export function keepCommit(
  checkout: Checkout,
  commit: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
): string {
  const { tree, parents, message } = commit;
  const id = writeCommit(checkout.store, formatOf(tree), { tree, parents, message: message || "snapshot" });
  writeRef(checkout, `snapshots/${id}`, id);
  return id;
}

/** Sets a ref of the private repository, without starting git: no other program uses this repository. */
export function writeRef(checkout: Checkout, name: string, commit: string): void {
  const path = join(checkout.store, "refs", name);
  makeFolder(dirname(path));
  // Git treats an empty ref, which a kill may leave, as damage of the whole repository, and any file in refs/ as a ref.
  const anew = join(checkout.store, `ref-${randomName()}.lock`);
  writeFileSync(anew, `${commit}\n`);
  renameSync(anew, path);
}

/** What changed between two trees, or in a commit compared with its parent. */
export const readDiff = async (checkout: Checkout, between: readonly string[]): Promise<Snapshot["diff"]> =>
  diffOf(await readChanges(checkout, ["diff-tree", ...between]));

/** A readable patch, shortened if it is too long. */
export async function readPatch(
  checkout: Checkout,
  { from, to, most }: { readonly from: string; readonly to: string; readonly most: number },
): Promise<string> {
  const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--find-renames"];
  const { out } = await checkout.git(["diff-tree", "-p", "--stat", ...plain, from, to]);
  return shortened(readable(out).toWellFormed(), most);
}

/** Cuts the longest parts first, so that a large file does not push out the others. */
function shortened(text: string, most: number): string {
  const parts = text.split(/^(?=diff --git )/m);
  const fair = Math.floor(most / parts.length);
  let left = Math.max(0, text.length - most);
  const cuts = new Map<string, number>();
  for (const part of parts.toSorted((one, other) => other.length - one.length)) {
    const cut = Math.min(left, Math.max(0, part.length - fair));
    cuts.set(part, cut);
    left -= cut;
  }
  return parts.map((part) => cutBy(part, cuts.get(part) ?? 0)).join("");
}

const cutBy = (part: string, cut: number) =>
  cut === 0 ? part : `${part.slice(0, part.length - cut)}\n[… ${cut} characters left out …]\n`;

function diffOf(changes: readonly Change[]): Snapshot["diff"] {
  return {
    files: changes.length,
    added: changes.reduce((sum, { added }) => sum + added, 0),
    removed: changes.reduce((sum, { removed }) => sum + removed, 0),
    paths: changes.slice(0, 50).map(({ path }) => path),
  };
}
