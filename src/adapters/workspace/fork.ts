import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { WorkspaceAnswer } from "../../ports/workspace.ts";
import { borrowObjects, type Checkout, copyIfThere, forkAt, viewCheckout } from "./checkout.ts";
import { git, readable } from "./git.ts";
import { readHead } from "./repository.ts";
import { addSettings, harmlessSettings, readSettings } from "./settings.ts";
import { commitTree, readDiff, type Snapshot, takeSnapshot, writeRef } from "./snapshot.ts";

/**
 * Makes a second checkout of the workspace as it is now, in the run's own folder: a repository of its own, with the
 * user's branches and HEAD, that borrows all objects. A linked work tree would write into the user's repository, and a
 * clone would copy a shallow one. Ignored files, such as installed packages, do not come along.
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
  if ((await readHead(checkout.top, checkout.signal)) !== undefined) {
    // the same files, staged as nothing: what the workspace had not committed shows as such
    await copyFile(fork.index, join(place.top, ".git", "index"));
    await git({ cwd: place.top, args: ["reset", "--quiet", "--mixed"], signal: checkout.signal });
  }
  const path = resolve(place.top, checkout.prefix);
  await mkdir(path, { recursive: true });
  await writeRef(checkout, `forks/${place.key}`, base.commit);
  return { commit: base.commit, tree: base.tree, path };
}

/**
 * Brings what changed in a fork into the workspace by a three-way merge, all of it or, where there are conflicts, none,
 * and removes the fork. The fork's last snapshot stays in the private repository: it is the `commit` of an answer with
 * conflicts.
 */
export async function joinFork(checkout: Checkout, name: string): Promise<WorkspaceAnswer> {
  const place = placeOf(checkout, name);
  const base = await readFile(place.base, "utf8").catch(() => undefined);
  if (base === undefined) return readAnswer(place, name);
  const since = base.trim();
  const fork = viewCheckout({ ...checkout, repository: { ...checkout, top: place.top } });
  const theirs = await takeSnapshot(fork, { since, message: `fork ${name}: its end` });
  const ours = await takeSnapshot(checkout, { since, message: `before the join of ${name}` });
  const answer = await merge({ checkout, ours, theirs, name });
  await mkdir(join(place.answer, ".."), { recursive: true });
  await writeFile(place.answer, JSON.stringify(answer));
  await removeFork(place);
  await rm(fork.index, { force: true });
  return answer;
}

/** The commit a fork started from; `undefined` for a checkout that is no fork of this run. */
export async function readForkBase({ top, dir, store }: Checkout): Promise<string | undefined> {
  if (forkAt(dir, top) === undefined) return undefined;
  return (await readFile(join(store, "refs", "forks", basename(top)), "utf8")).trim();
}

type Place = ReturnType<typeof placeOf>;

function placeOf({ dir, store }: Checkout, name: string) {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  const key = `${words}-${createHash("sha256").update(name).digest("hex").slice(0, 12)}`;
  return {
    key,
    top: join(dir, "forks", key),
    base: join(store, "refs", "forks", key),
    /** Where a join's answer is kept, should the run die before it is recorded. */
    answer: join(dir, "joins", `${key}.json`),
  };
}

async function makeRepository(checkout: Checkout, top: string): Promise<void> {
  const { signal, objectFormat } = checkout;
  await mkdir(top, { recursive: true });
  const format = `--object-format=${objectFormat ?? (await readFormat(checkout))}`;
  await git({ cwd: top, args: ["init", "--quiet", "--template=", format], signal });
  const gitDir = join(top, ".git");
  // a fork of a fork also needs what was committed in there
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
  readonly ours: Snapshot;
  readonly theirs: Snapshot;
  readonly name: string;
}): Promise<WorkspaceAnswer> {
  const { checkout, ours, theirs, name } = sides;
  const args = [
    "merge-tree",
    "--write-tree",
    "-z",
    "--name-only",
    "--no-messages",
    ours.commit,
    theirs.commit,
  ];
  const merged = await checkout.git(args, { accept: [0, 1, 129] });
  if (merged.code === 129) throw new Error("git is too old to join a fork: install git 2.38 or newer");
  const [tree = "", ...conflicts] = merged.out.split("\0").filter((field) => field !== "");
  if (merged.code === 1) {
    return { commit: theirs.commit, tree: theirs.tree, conflicts: [...new Set(conflicts.map(readable))] };
  }
  const commit = await commitTree(checkout, {
    tree,
    parents: [ours.commit, theirs.commit],
    message: `join ${name}`,
  });
  await checkout.git(["read-tree", "-m", "-u", ours.commit, commit]);
  return { commit, tree, diff: await readDiff(checkout, [ours.tree, tree]) };
}

async function readAnswer(place: Place, name: string): Promise<WorkspaceAnswer> {
  const text = await readFile(place.answer, "utf8").catch(() => undefined);
  if (text === undefined)
    throw new Error(`the fork ${name} is not here: it was made on another machine, or never`);
  return JSON.parse(text) as WorkspaceAnswer;
}

/** The base goes first: without it, a join that is asked for again answers what it answered before. */
async function removeFork(place: Place): Promise<void> {
  await rm(place.base, { force: true });
  await rm(place.top, { recursive: true, force: true });
}
