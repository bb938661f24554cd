import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { git, readable } from "../git/git.ts";
import type { CheckGuard, WorkspaceAnswer } from "../ports/workspace.ts";
import { unlockChanged } from "./changes.ts";
import { guardOf } from "./check-guard.ts";
import { borrowObjects, type Checkout, copyIfThere, viewCheckout } from "./checkout.ts";
import { addSettings, harmlessSettings, readSettings } from "./checkout-settings.ts";
import { mergedIn, mergeTree } from "./compare-trees.ts";
import { findDiffering, verifyBytes } from "./find-differing.ts";
import { copyFiltered } from "./kept-back.ts";
import { dateUnchanged, pruneClone } from "./prune-clone.ts";
import { readHead } from "./repository.ts";
import { keepCommit, readDiff, type Snapshot, takeSnapshot, writeRef } from "./snapshot.ts";
import { copyUntouched } from "./untouched-files.ts";

/**
 * Creates a second checkout of the current workspace in the run's own folder: a separate repository with the user's
 * branches and HEAD, which borrows all objects. A linked worktree would write to the user's repository, and a clone
 * would have to copy a shallow one. Ignored files, such as installed packages, are not copied.
 */
export async function forkCheckout(
  checkout: Checkout,
  { name, since }: { readonly name: string; readonly since: string | undefined },
): Promise<WorkspaceAnswer> {
  const place = placeOf(checkout, name);
  await removeFork(place);
  await rm(place.answer, { force: true });
  const base = await takeSnapshot(checkout, { since, message: `fork ${name}` });
  await makeRepository(checkout, place.top);
  const fork = viewCheckout({ ...checkout, repository: { ...checkout, top: place.top } });
  await fork.git(["read-tree", "--reset", "-u", base.commit]);
  await copyFiltered(checkout, fork);
  if ((await readHead(checkout.top, checkout.signal)) !== undefined) {
    // The same files, but unstaged, so that uncommitted changes of the workspace show as uncommitted.
    await copyFile(fork.index, join(place.top, ".git", "index"));
    await git({ cwd: place.top, args: ["reset", "--quiet", "--mixed"], signal: checkout.signal });
  }
  const path = resolve(place.top, checkout.prefix);
  await mkdir(path, { recursive: true });
  writeRef(checkout, `forks/${place.key}`, base.commit);
  return { commit: base.commit, tree: base.tree, path };
}

export interface CloneRequest {
  /** A snapshot of the run. */
  readonly commit: string;
  /** An earlier snapshot, whose installed packages are part of the project. */
  readonly base: string;
  /** The absolute path of a folder: the clone becomes a folder in it, with the checkout's own name. */
  readonly parent: string;
  readonly guard: CheckGuard;
  /** The time of the files that are the same in both. */
  readonly time?: Date;
  /** Puts what git ignores in the clone's top folder, before anything is copied there. */
  fill?(top: string): void;
  /** Copies what git ignores, and submodules, if nothing has touched them since before the first agent. */
  readonly untouched?: true;
}

export interface Clone {
  /** The clone's top folder. */
  readonly top: string;
  /** The workspace's folder in the clone. */
  readonly workspace: string;
  /** The command that installs the project's dependencies, chosen by its files. */
  readonly setup: string | undefined;
  /** The paths that differ from the earlier snapshot, if a time was given. */
  readonly changed: readonly string[];
  /** Untouched files that were copied. */
  readonly copied?: readonly string[];
}

/**
 * Clones a snapshot to another folder, with the user's branches and HEAD. Verifies each file against its object id,
 * because an agent may have rewritten git's objects.
 */
export async function cloneSnapshot(
  checkout: Checkout,
  { commit, base, parent, guard, time, fill, untouched }: CloneRequest,
): Promise<Clone> {
  const top = join(parent, basename(checkout.top));
  await makeRepository(checkout, top);
  const clone = viewCheckout({ ...checkout, repository: { ...checkout, top } });
  await clone.git(["read-tree", "--reset", "-u", commit]);
  const wrong = await verifyBytes(
    clone,
    await findDiffering({ checkout: clone, commit, isProtected: () => true }),
  );
  if (wrong.length > 0) throw new Error(`git no longer has ${wrong.slice(0, 5).join(", ")} as they were`);
  await copyFiltered(checkout, clone);
  // Copied, not moved: temporary folders are often on another file system.
  await copyFile(clone.index, join(top, ".git", "index"));
  await rm(clone.index);
  await git({ cwd: top, args: ["reset", "--quiet", "--mixed"], signal: checkout.signal, accept: [0, 128] });
  const workspace = resolve(top, checkout.prefix);
  await mkdir(workspace, { recursive: true });
  const { use } = await guardOf(checkout, commit, guard);
  await pruneClone(checkout, { commit, base, top, isSetUp: use.setup !== undefined });
  const changed = time === undefined ? [] : await dateUnchanged(checkout, { commit, base, top, time });
  fill?.(top);
  const made = { top, workspace, setup: use.setup, changed };
  return untouched === undefined ? made : { ...made, copied: await copyUntouched({ checkout, clone, base }) };
}

/**
 * Merges a fork's changes into the workspace by three-way merge and removes the fork. If there are conflicts, nothing
 * is merged. The fork's last snapshot stays in the private repository; after a conflict, it is the answer's `commit`.
 */
export const joinFork = (checkout: Checkout, name: string): Promise<WorkspaceAnswer> =>
  endFork(checkout, name, async (theirs, since) => {
    const ours = await takeSnapshot(checkout, { since, message: `before the join of ${name}` });
    return await merge({ checkout, ours, theirs, name });
  });

/** Keeps a fork's last snapshot under its own ref, reports its changes since its creation, and removes the fork. */
export const closeFork = (checkout: Checkout, name: string): Promise<WorkspaceAnswer> =>
  endFork(checkout, name, async ({ commit, tree, diff }) => {
    writeRef(checkout, `attempts/${placeOf(checkout, name).key}`, commit);
    return { commit, tree, diff };
  });

/** Merges the last snapshot of a closed fork into the workspace; repeating it changes nothing. */
export async function joinClosed(
  checkout: Checkout,
  { name, from, closed }: { readonly name: string; readonly from: string; readonly closed: ForkBase },
): Promise<WorkspaceAnswer> {
  const ours = await takeSnapshot(checkout, { since: from, message: `before the join of ${name}` });
  return await merge({ checkout, ours, theirs: closed, name });
}

/** Takes a fork's last snapshot, answers, and removes the fork; repeating it returns the same answer. */
async function endFork(
  checkout: Checkout,
  name: string,
  answerTo: (last: Snapshot, since: string) => Promise<WorkspaceAnswer>,
): Promise<WorkspaceAnswer> {
  const place = placeOf(checkout, name);
  const since = (await readFile(place.base, "utf8").catch(() => undefined))?.trim();
  if (since === undefined) return readAnswer(place, name);
  const fork = viewCheckout({ ...checkout, repository: { ...checkout, top: place.top } });
  const answer = await answerTo(await takeSnapshot(fork, { since, message: `fork ${name}: its end` }), since);
  await mkdir(join(place.answer, ".."), { recursive: true });
  await writeFile(place.answer, JSON.stringify(answer));
  await removeFork(place);
  await rm(fork.index, { force: true });
  return answer;
}

type ForkBase = Pick<Snapshot, "commit" | "tree">;

type ForkPaths = ReturnType<typeof placeOf>;

function placeOf({ dir, store }: Checkout, name: string) {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  const key = `${slug}-${createHash("sha256").update(name).digest("hex").slice(0, 12)}`;
  return {
    key,
    top: join(dir, "forks", key),
    base: join(store, "refs", "forks", key),
    /** Keeps a join's answer, in case the run is killed before it is recorded. */
    answer: join(dir, "joins", `${key}.json`),
  };
}

async function makeRepository(checkout: Checkout, top: string): Promise<void> {
  const { signal, objectFormat } = checkout;
  await mkdir(top, { recursive: true });
  const format = `--object-format=${objectFormat ?? (await readFormat(checkout))}`;
  await git({ cwd: top, args: ["init", "--quiet", "--template=", format], signal });
  const gitDir = join(top, ".git");
  // A fork of a fork also needs the commits made in that fork.
  await borrowObjects(gitDir, join(checkout.store, "objects"), join(checkout.commonDir, "objects"));
  await copyIfThere(join(checkout.store, "shallow"), join(gitDir, "shallow"));
  await mkdir(join(gitDir, "info"), { recursive: true });
  await copyIfThere(join(checkout.store, "info", "exclude"), join(gitDir, "info", "exclude"));
  const settings = await readSettings(checkout.top);
  const known = [...settings].filter(([name]) => /^(user\.(name|email)|remote\..+\.(url|fetch))$/.test(name));
  await addSettings(join(gitDir, "config"), [...harmlessSettings(settings), ...known]);
  await copyRefs(checkout, top);
}

async function readFormat({ git: ask }: Checkout): Promise<string> {
  return (await ask(["rev-parse", "--show-object-format"])).out.trim();
}

async function copyRefs(checkout: Checkout, top: string): Promise<void> {
  const { signal } = checkout;
  const format = "--format=create %(refname)%00%(objectname)%00";
  const refs = await git({ cwd: checkout.top, args: ["for-each-ref", format], signal });
  const stdin = refs.out.replaceAll("\0\n", "\0");
  await git({ cwd: top, args: ["update-ref", "-z", "--stdin"], stdin, signal });
  const branch = await git({
    cwd: checkout.top,
    args: ["symbolic-ref", "-q", "HEAD"],
    signal,
    accept: [0, 1],
  });
  const head =
    branch.code === 0
      ? `ref: ${readable(branch.out)}`
      : `${(await readHead(checkout.top, signal))?.commit}\n`;
  await writeFile(join(top, ".git", "HEAD"), head);
}

async function merge(sides: {
  readonly checkout: Checkout;
  readonly ours: ForkBase;
  readonly theirs: ForkBase;
  readonly name: string;
}): Promise<WorkspaceAnswer> {
  const { checkout, ours, theirs, name } = sides;
  const parents = [ours.commit, theirs.commit];
  const merged = await checkout.git([...mergeTree, ...parents], { accept: [0, 1, 129] });
  if (merged.code === 129) throw new Error("git is too old to join a fork: install git 2.38 or newer");
  const { tree, conflicts } = mergedIn(merged);
  if (merged.code === 1) return { commit: theirs.commit, tree: theirs.tree, conflicts };
  const commit = keepCommit(checkout, { tree, parents, message: `join ${name}` });
  await unlockChanged(checkout, commit);
  await checkout.git(["read-tree", "-m", "-u", ours.commit, commit]);
  return { commit, tree, diff: await readDiff(checkout, [ours.tree, tree]) };
}

async function readAnswer(place: ForkPaths, name: string): Promise<WorkspaceAnswer> {
  const text = await readFile(place.answer, "utf8").catch(() => undefined);
  if (text === undefined)
    throw new Error(`the fork ${name} is not here: it was made on another machine, or never`);
  return JSON.parse(text) as WorkspaceAnswer;
}

/** Removes the base first: without it, a repeated join returns its earlier answer. */
async function removeFork(place: ForkPaths): Promise<void> {
  await rm(place.base, { force: true });
  await rm(place.top, { recursive: true, force: true });
}
