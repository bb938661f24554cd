import { constants, copyFile, lstat, rm } from "node:fs/promises";
import { posix } from "node:path";
import { bytes, onDisk } from "../git/git.ts";
import { absent, submodule } from "../git/objects.ts";
import type { CheckGuard, WorkspaceAnswer } from "../ports/workspace.ts";
import { unlockBetween } from "../processes/remove-all.ts";
import { listChanges } from "./changes.ts";
import { guardOf, matchFrom } from "./check-guard.ts";
import type { Checkout } from "./checkout.ts";
import { type DifferenceSearch, findDiffering, verifyBytes } from "./find-differing.ts";
import { copyOf } from "./ignored-copies.ts";
import { filesBelow, findIgnored, rememberIgnored } from "./ignored-files.ts";
import { keptLater } from "./kept-back.ts";
import { type Change, knownIndex, rememberIndex } from "./known-index.ts";
import { findNewlyIgnored, hidesTracked } from "./newly-ignored.ts";
import { putPartsBack } from "./protected-parts.ts";
import { leaveStaged, type Staged, stageAll, writeChangedTree } from "./stage.ts";

export interface ProtectRequest {
  readonly commit: string;
  readonly globs: readonly string[];
  readonly guard?: CheckGuard;
  /** Called once before the first file is restored. */
  save?(): Promise<void>;
}

/**
 * Restores the protected paths of a checkout from a commit and returns those that had changed, relative to the
 * checkout's top. Globs are relative to the workspace. Submodules are not covered, neither their files nor their
 * commits.
 */
export async function protectPaths(checkout: Checkout, request: ProtectRequest): Promise<readonly string[]> {
  const { commit } = request;
  if (request.globs.length === 0 && request.guard === undefined) return [];
  const rules = await rulesOf(checkout, request);
  const staged = await stageAll(checkout);
  const ignored = await findIgnored({ checkout, commit, isProtected: rules.isKept });
  const { unborn } = staged;
  const { changes, tree } = await readStaged(checkout, commit, staged);
  const submodules = changes.filter((change) => change.before === submodule).map((change) => change.path);
  const changed = changes.filter(
    ({ path, before }) =>
      before !== submodule && (before === absent ? rules.mayNotBeAdded(path) : rules.isKept(path)),
  );
  // Git lists only the path of a nested repository, but test runners see the files in it.
  const embedded = changes.filter(({ before, mode }) => before !== submodule && mode === submodule);
  const nested = [...embedded.map((change) => change.path), ...unborn];
  const inner = await Promise.all(nested.map((folder) => filesBelow(checkout.top, folder, ".git")));
  const ignoring = changes.filter(({ path }) => posix.basename(path) === ".gitignore");
  const hidden =
    ignoring.length > 0 ? await findNewlyIgnored({ checkout, commit, isProtected: rules.isKept }) : [];
  if (ignoring.length > 0 && rules.guard?.use.tools.some((id) => readsIgnored.has(id)))
    if (await hidesTracked({ checkout, commit }))
      changed.push(...ignoring.filter((each) => !changed.includes(each) && !rules.isAllowed(each.path)));
  const unseenByGit = [...inner.flat(), ...keptLater(checkout)].filter(rules.isKept);
  const added = [...unseenByGit, ...hidden, ...ignored.added];
  // A program of the run may have made their folders read-only.
  const save = once(request.save);
  if (changed.length + added.length + ignored.changed.size > 0) await save();
  for (const path of [...changed.map((change) => change.path), ...added, ...ignored.changed.keys()])
    unlockBetween(checkout.top, bytes(path));
  if (changed.length > 0) await putBack(checkout, commit, changed);
  for (const path of added) await removeFile(checkout.top, path);
  for (const [path, record] of ignored.changed)
    await rewrite(checkout.top, path, await copyOf(checkout, path, record));
  const removed = added.filter((path) => !submodules.includes(path));
  const unseen = await putBackUnseen({ checkout, commit, isProtected: rules.isKept });
  const parts = await putPartsBack(checkout, commit, { changes, guard: rules.guard, save });
  const all = [
    ...changed.map(({ path }) => path),
    ...removed,
    ...ignored.changed.keys(),
    ...unseen,
    ...parts,
  ];
  // The snapshot comes next, and no program runs before it.
  if (all.length === 0) leaveStaged(checkout, tree === undefined ? staged : { ...staged, tree });
  return [...new Set(all.filter((path) => !isCache.test(path)))].sort().slice(0, 50);
}

function once(save: () => Promise<void> = async () => undefined): () => Promise<void> {
  let saved: Promise<void> | undefined;
  return () => {
    saved ??= save();
    return saved;
  };
}

/** How the staged files differ from a commit, and their tree, which the next snapshot needs. */
async function readStaged(checkout: Checkout, commit: string, { snapshot }: Staged) {
  const known = knownIndex(checkout);
  const changes = await listChanges(checkout, commit, known);
  if (known === undefined || snapshot !== undefined) return { changes };
  // If the tree cannot be written, the snapshot reports the error.
  const tree = await writeChangedTree(checkout, commit, changes).catch(() => undefined);
  // Writing the tree may rewrite the index file, but not its entries.
  rememberIndex(checkout, known);
  return { changes, tree };
}

/** Records, before any agent starts, what a later `protectPaths` compares with; returns the tools the checks use. */
export async function inspectPaths(
  checkout: Checkout,
  request: ProtectRequest & { readonly guard: CheckGuard },
): Promise<Pick<WorkspaceAnswer, "tools" | "uncopied">> {
  const { isKept, guard } = await rulesOf(checkout, request);
  const uncopied = await rememberIgnored({ checkout, commit: request.commit, isProtected: isKept });
  const tools = [...(guard?.use.tools ?? [])];
  return uncopied.length === 0 ? { tools } : { tools, uncopied: uncopied.slice(0, 50) };
}

/** The ids of tools that skip files that git ignores; some always do. */
const readsIgnored: ReadonlySet<string> = new Set(["python linters", "prettier", "biome", "eslint"]);

/** Files that a test run leaves behind are removed without a report. */
const isCache =
  /(?:^|\/)(?:__pycache__|\.[\w.-]*cache|\.hypothesis)\/|\.py[co]$|(?:^|\/)\.phpunit\.result\.cache$/;

async function rulesOf(checkout: Checkout, { commit, globs, guard: check }: ProtectRequest) {
  const guard = check === undefined ? undefined : await guardOf(checkout, commit, check);
  const isNamed = await matchFrom(checkout.prefix, globs);
  const mayNotBeAdded = (path: string) => isNamed(path) || (guard?.isConfig(path) ?? false);
  return {
    guard,
    isAllowed: await matchFrom(checkout.prefix, check?.allow ?? []),
    mayNotBeAdded,
    isKept: (path: string) => mayNotBeAdded(path) || (guard?.isTest(path) ?? false),
  };
}

/**
 * Restores files that differ although git sees no difference, because its index, objects or conversion rules were
 * changed. Throws if that does not help.
 */
async function putBackUnseen(search: DifferenceSearch): Promise<readonly string[]> {
  const { checkout, commit } = search;
  const differing = await findDiffering(search);
  if (differing.length === 0) return [];
  const isRule = (path: string) => posix.basename(path) === ".gitattributes";
  const rules = (await listChanges(checkout, commit)).filter(({ path }) => isRule(path));
  if (rules.length > 0) await putBack(checkout, commit, rules);
  const wrong = await verifyBytes(checkout, differing);
  if (wrong.length > 0) await writeAnew(checkout, commit, wrong);
  const left = wrong.length === 0 ? [] : await verifyBytes(checkout, await findDiffering(search));
  if (left.length === 0) return [...wrong, ...rules.map(({ path }) => path)];
  throw new Error(
    `git no longer has ${left.slice(0, 5).join(", ")} as they were, as its objects were rewritten`,
  );
}

/** Removes the index entry and the file first, so that there is nothing git could wrongly trust. */
async function writeAnew(checkout: Checkout, commit: string, paths: readonly string[]): Promise<void> {
  const stdin = paths.map((path) => `0 ${"0".repeat(commit.length)}\t${bytes(path)}\0`).join("");
  await checkout.git(["update-index", "-z", "--index-info"], { stdin });
  for (const path of paths) await removeFile(checkout.top, path);
  await putBack(
    checkout,
    commit,
    paths.map((path) => ({ path, before: "100644" })),
  );
}

/** Git itself never writes or removes through a symbolic link on the path: it replaces the link with a folder. */
async function putBack(
  checkout: Checkout,
  commit: string,
  changes: readonly Pick<Change, "path" | "before">[],
): Promise<void> {
  // A folder in place of a file is removed with its content; git no longer knows the paths inside then.
  const files = new Set(changes.filter(({ before }) => before !== absent).map(({ path }) => path));
  const named = changes.filter(({ path }) => !parentsOf(path).some((parent) => files.has(parent)));
  const stdin = named.map((change) => `${bytes(change.path)}\0`).join("");
  const which = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  const args = ["--literal-pathspecs", "restore", "--staged", "--worktree", `--source=${commit}`, ...which];
  await checkout.git(args, { stdin });
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join("/"));
}

/** Removes a file, unless a parent folder was replaced with a link. */
async function removeFile(top: string, path: string): Promise<void> {
  for (const parent of parentsOf(path)) {
    const stat = await lstat(onDisk(top, parent)).catch(() => undefined);
    if (!stat?.isDirectory()) return;
  }
  await rm(onDisk(top, path), { force: true });
}

/** Restores an ignored file, but never writes through a link. */
async function rewrite(top: string, path: string, copy: string): Promise<void> {
  await removeFile(top, path);
  await copyFile(copy, onDisk(top, path), constants.COPYFILE_EXCL).catch(() => undefined);
}
