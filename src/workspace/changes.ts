import { bytes, readable } from "../git/git.ts";
import { unlockBetween } from "../processes/remove-all.ts";
import type { Checkout } from "./checkout.ts";
import { type Change, type KnownIndex, knownIndex } from "./known-index.ts";

/** How the private index differs from a commit. Compared once; after a snapshot, only newer changes are read. */
export async function listChanges(
  checkout: Checkout,
  commit: string,
  index?: KnownIndex,
): Promise<readonly Change[]> {
  const known = index ?? knownIndex(checkout);
  const read = (from: string) => readChanges(checkout, ["diff-index", "--cached", from]);
  const cached = known?.changes.get(commit);
  if (cached !== undefined || known === undefined) return cached ?? (await read(commit));
  const { last } = known;
  const earlier = commit === last?.commit ? undefined : last?.changes.get(commit);
  const isEarlier = last !== undefined && earlier !== undefined;
  const changes = isEarlier
    ? joined(earlier, await listChanges(checkout, last.commit, known))
    : ((await sinceLast(checkout, commit, known)) ?? (await read(commit)));
  known.changes.set(commit, changes);
  return changes;
}

/** The changes since the last snapshot, if git is not needed for them. */
async function sinceLast(checkout: Checkout, commit: string, { last }: KnownIndex) {
  if (commit !== last?.commit || last.files === undefined) return undefined;
  // Loaded with the first change.
  const { compareIndexes } = await import("./compare-indexes.ts");
  return compareIndexes(checkout, last.files);
}

/**
 * Makes the folders of files that differ from a commit writable: a program of the run may have made them read-only, and
 * git would restore only a part of the files.
 */
export async function unlockChanged(checkout: Checkout, commit: string): Promise<void> {
  // If git cannot read the commit, the command that follows says so.
  const changes = await listChanges(checkout, commit).catch(() => []);
  for (const { path } of changes) unlockBetween(checkout.top, bytes(path));
}

/** Combines two successive lists of changes. */
function joined(first: readonly Change[], then: readonly Change[]): readonly Change[] {
  const all = new Map(first.map((change) => [change.path, change]));
  for (const change of then) {
    const { before, beforeObject } = all.get(change.path) ?? change;
    if (before === change.mode && beforeObject === change.object) all.delete(change.path);
    else all.set(change.path, { ...change, before, beforeObject });
  }
  return [...all.values()];
}

/** The changes that a git diff command reports, with line counts for each file. */
export async function readChanges(
  checkout: Checkout,
  [command = "", ...between]: readonly string[],
): Promise<readonly Change[]> {
  const format = ["-r", "--raw", "--numstat", "--no-abbrev", "-z", "--no-renames"];
  const plain = ["--no-ext-diff", "--no-textconv"];
  const { out } = await checkout.git([command, ...format, ...plain, ...between]);
  const fields = out.split("\0");
  // First, for each file, a row of modes and ids and a row with the path; then one row for each file with line counts
  // and path.
  const rows = fields.findIndex((field, at) => at % 2 === 0 && !field.startsWith(":"));
  const lines = new Map(
    fields.slice(rows).flatMap((row) => {
      const [, added, removed, path = ""] = /^(\S+)\t(\S+)\t([\s\S]+)$/.exec(row) ?? [];
      return path === "" ? [] : [[path, { added: count(added), removed: count(removed) }] as const];
    }),
  );
  const changes: Change[] = [];
  for (let at = 0; at < rows; at += 2) {
    const [before = "", mode = "", beforeObject = "", object = ""] = (fields[at] ?? "").slice(1).split(" ");
    const path = fields[at + 1] ?? "";
    const { added = 0, removed = 0 } = lines.get(path) ?? {};
    changes.push({ path: readable(path), before, beforeObject, mode, object, added, removed });
  }
  return changes;
}

/** Git prints a dash for binary files, which have no lines. */
function count(lines: string | undefined): number {
  return Number(lines) || 0;
}
