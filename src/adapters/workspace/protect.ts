import { lstat, readdir, rm } from "node:fs/promises";
import { join, posix } from "node:path";
import { platform } from "node:process";
import type { Checkout } from "./checkout.ts";
import { bytes, readable } from "./git.ts";
import { findHidden } from "./hidden.ts";
import { stageAll } from "./snapshot.ts";
import { findDiffering, findWrong, type Search } from "./unproven.ts";

/**
 * Puts the protected paths of a checkout back as they are in a commit and answers which were not, from the checkout's top.
 * Globs count from the workspace. A submodule's own files are out of reach: only its place is protected.
 */
export async function protectPaths(
  checkout: Checkout,
  { commit, globs }: { readonly commit: string; readonly globs: readonly string[] },
): Promise<readonly string[]> {
  if (globs.length === 0) return [];
  const isProtected = await matchFrom(checkout.prefix, globs);
  const unborn = await stageAll(checkout);
  const changes = await listChanges(checkout, commit);
  const submodules = changes.filter((change) => change.before === submodule).map((change) => change.path);
  const changed = changes.filter(({ path, before }) => before !== submodule && isProtected(path));
  // git names only the place of a repository inside the checkout; its files are there for test runners all the same
  const embedded = changes.filter(({ before, after }) => before !== submodule && after === submodule);
  const inner = await listFiles(checkout.top, [...embedded.map((change) => change.path), ...unborn]);
  const hidden = changes.some(({ path }) => posix.basename(path) === ".gitignore")
    ? await findHidden({ checkout, commit, isProtected })
    : [];
  const added = [...inner.filter(isProtected), ...hidden];
  if (changed.length > 0) await putBack(checkout, commit, changed);
  for (const path of added) await removeFile(checkout.top, path);
  const removed = added.filter((path) => !submodules.includes(path));
  const unseen = await putBackUnseen({ checkout, commit, isProtected });
  return [...new Set([...changed.map((change) => change.path), ...removed, ...unseen])].sort().slice(0, 50);
}

/**
 * Puts back what differs although git sees no difference: its index, its objects or the rules by which it converts files
 * were changed. Throws where that does not help.
 */
async function putBackUnseen(search: Search): Promise<readonly string[]> {
  const { checkout, commit } = search;
  const differing = await findDiffering(search);
  if (differing.length === 0) return [];
  const isRule = (path: string) => posix.basename(path) === ".gitattributes";
  const rules = (await listChanges(checkout, commit)).filter(({ path }) => isRule(path));
  if (rules.length > 0) await putBack(checkout, commit, rules);
  const wrong = await findWrong(checkout, differing);
  if (wrong.length > 0) await writeAnew(checkout, commit, wrong);
  const left = wrong.length === 0 ? [] : await findWrong(checkout, await findDiffering(search));
  if (left.length === 0) return [...wrong, ...rules.map(({ path }) => path)];
  throw new Error(
    `git no longer has ${left.slice(0, 5).join(", ")} as they were, as its objects were rewritten`,
  );
}

/** Without an entry in the index, and without a file, there is nothing that git could believe to be right. */
async function writeAnew(checkout: Checkout, commit: string, paths: readonly string[]): Promise<void> {
  const stdin = paths.map((path) => `0 ${"0".repeat(commit.length)}\t${bytes(path)}\0`).join("");
  await checkout.git(["update-index", "-z", "--index-info"], { stdin });
  for (const path of paths) await removeFile(checkout.top, path);
  await putBack(
    checkout,
    commit,
    paths.map((path) => ({ path, before: "100644", after: absent })),
  );
}

/** Whether a path, counted from the checkout's top, is one that the globs mean. */
async function matchFrom(prefix: string, globs: readonly string[]): Promise<(path: string) => boolean> {
  const { default: picomatch } = await import("picomatch");
  const nocase = platform === "darwin" || platform === "win32";
  const patterns = globs.map((glob) => glob.replace(/^(\.?\/)+/, "").replace(/\/$/, "/**"));
  const matches = picomatch(patterns, { dot: true, nocase });
  return (path) => path.startsWith(prefix) && matches(path.slice(prefix.length));
}

const submodule = "160000";

interface Change {
  readonly path: string;
  /** File modes as git writes them; zeros where there is no such file. */
  readonly before: string;
  readonly after: string;
}

async function listChanges(checkout: Checkout, commit: string): Promise<readonly Change[]> {
  const args = ["diff-index", "--cached", "--raw", "-z", "--no-renames", commit];
  const fields = (await checkout.git(args)).out.split("\0");
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [before = "", after = ""] = (fields[at] ?? "").slice(1).split(" ");
    changes.push({ before, after, path: readable(fields[at + 1] ?? "") });
  }
  return changes;
}

/** git itself never writes or removes through a symbolic link in the way: it replaces the link by a folder. */
async function putBack(checkout: Checkout, commit: string, changes: readonly Change[]): Promise<void> {
  // A folder put in a file's place goes with what is in it: by then git no longer knows the paths inside.
  const files = new Set(changes.filter(({ before }) => before !== absent).map(({ path }) => path));
  const named = changes.filter(({ path }) => !parentsOf(path).some((parent) => files.has(parent)));
  const stdin = named.map((change) => `${bytes(change.path)}\0`).join("");
  const which = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  const args = ["--literal-pathspecs", "restore", "--staged", "--worktree", `--source=${commit}`, ...which];
  await checkout.git(args, { stdin });
}

const absent = "000000";

function parentsOf(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join("/"));
}

/** All files below some folders, without what git keeps in them, and without following links. */
async function listFiles(top: string, folders: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(join(top, folder), { withFileTypes: true }).catch(() => []);
      const named = entries.map((entry) => ({ entry, path: posix.join(folder, entry.name) }));
      const files = named.filter(({ entry }) => !entry.isDirectory()).map(({ path }) => path);
      const inner = named.filter(({ entry }) => entry.isDirectory() && entry.name !== ".git");
      return [
        ...files,
        ...(await listFiles(
          top,
          inner.map(({ path }) => path),
        )),
      ];
    }),
  );
  return lists.flat();
}

/** Removes a file unless a link has come to stand above it. */
async function removeFile(top: string, path: string): Promise<void> {
  const parents = path.split("/").slice(0, -1);
  for (let depth = 1; depth <= parents.length; depth += 1) {
    const parent = await lstat(join(top, ...parents.slice(0, depth))).catch(() => undefined);
    if (!parent?.isDirectory()) return;
  }
  await rm(join(top, path), { force: true });
}
