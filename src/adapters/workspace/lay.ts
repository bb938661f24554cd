import { rm } from "node:fs/promises";
import { join } from "node:path";
import picomatch from "picomatch";
import { bytes, git, readable } from "./git.ts";

/** Work to be laid on a branch as commits of its own. */
export interface Layout {
  /** The private repository that has the snapshots. */
  readonly gitDir: string;
  /** The commit the work began from. */
  readonly base: string;
  /** The commit it is to stand on: `base` itself, or the tip of a branch that has moved on. */
  readonly onto: string;
  readonly steps: readonly LaidStep[];
  /** Globs, from the top of the repository, of what stays as it is in `base`. */
  readonly leaveOut: readonly string[];
  /** Whether folders that became repositories of their own are left out: nobody else could find their commits. */
  readonly withoutNested?: boolean;
  readonly signal: AbortSignal;
}

export interface LaidStep {
  readonly snapshot: string;
  readonly message: string;
  /** Whether it is work beside that of the steps before it, all of it begun from `base`; else it goes on from them. */
  readonly beside?: boolean;
}

export interface Laid {
  /** The last commit; `undefined` where the work changes nothing. */
  readonly tip: string | undefined;
  /** What it changes in `onto`. */
  readonly files: readonly string[];
  /** How large the files it changes are, in bytes. */
  readonly bytes: number;
  /** What it changed and may not. */
  readonly leftOut: readonly string[];
  /** The folders left out as they are repositories of their own. */
  readonly nested: readonly string[];
  /** Where it does not fit on `onto`; then there is no tip. */
  readonly conflicts: readonly string[];
  /** The steps beside the others that do not fit on those before them: they are not in it. */
  readonly unfit: readonly Unfit[];
}

interface Unfit {
  readonly step: LaidStep;
  readonly conflicts: readonly string[];
}

/** Makes commits of the work in the private repository: one for each step that changes something. */
export async function layCommits(layout: Layout): Promise<Laid> {
  const { base, onto, steps } = layout;
  const leftOut: Change[] = [];
  const unfit: Unfit[] = [];
  const nothing = { tip: undefined, files: [], bytes: 0, conflicts: [], unfit };
  const ground = await treeOf(layout, base);
  let before = ground;
  let tip = onto;
  for (const step of steps) {
    const { snapshot, message, beside } = step;
    if (beside === true) before = ground;
    const { tree, left } = await allowed(layout, snapshot);
    leftOut.push(...left);
    if (tree === before) continue;
    const laid = await apply(layout, { before, tree, tip });
    if ("conflicts" in laid) {
      if (beside !== true) return { ...nothing, ...named(leftOut), conflicts: laid.conflicts };
      unfit.push({ step, conflicts: laid.conflicts });
      continue;
    }
    if (laid.tree !== (await treeOf(layout, tip)))
      tip = await commit(layout, { tree: laid.tree, parent: tip, message });
    before = tree;
  }
  const made = await measure(layout, tip);
  return { ...nothing, ...made, ...named(leftOut) };
}

function named(left: readonly Change[]): Pick<Laid, "leftOut" | "nested"> {
  const pathsOf = (changes: readonly Change[]) => [...new Set(changes.map(({ path }) => path))];
  return { leftOut: pathsOf(left.filter((it) => !isNested(it))), nested: pathsOf(left.filter(isNested)) };
}

const isNested = ({ before, after }: Change) => after.mode === submodule && before.mode !== submodule;

/** What came of it all; nothing where it changes nothing. */
async function measure(layout: Layout, tip: string): Promise<Partial<Laid>> {
  const { onto } = layout;
  const changed = tip === onto ? [] : await changesBetween(layout, onto, tip);
  if (changed.length === 0) return {};
  return { tip, files: changed.map(({ path }) => path), bytes: await sizeOf(layout, changed) };
}

const run = (
  { gitDir, signal }: Layout,
  args: readonly string[],
  more: { stdin?: string; index?: string; accept?: readonly number[] } = {},
) => {
  const { stdin, index, accept } = more;
  return git({
    cwd: gitDir,
    args,
    signal,
    env: { GIT_DIR: gitDir, ...(index === undefined ? {} : { GIT_INDEX_FILE: index }) },
    ...(stdin === undefined ? {} : { stdin }),
    ...(accept === undefined ? {} : { accept }),
  });
};

const treeOf = async (layout: Layout, commit: string) =>
  (await run(layout, ["rev-parse", "--verify", `${commit}^{tree}`])).out.trim();

interface Change {
  readonly path: string;
  readonly before: { readonly mode: string; readonly object: string };
  readonly after: { readonly mode: string; readonly object: string };
}

async function changesBetween(layout: Layout, from: string, to: string): Promise<readonly Change[]> {
  const fields = (
    await run(layout, ["diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", from, to])
  ).out.split("\0");
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [mode = "", modeAfter = "", object = "", objectAfter = ""] = (fields[at] ?? "").slice(1).split(" ");
    const path = readable(fields[at + 1] ?? "");
    changes.push({ path, before: { mode, object }, after: { mode: modeAfter, object: objectAfter } });
  }
  return changes;
}

/** The tree of a snapshot, with what may not change as it was. */
async function allowed(
  layout: Layout,
  snapshot: string,
): Promise<{ readonly tree: string; readonly left: readonly Change[] }> {
  const changes = await changesBetween(layout, layout.base, snapshot);
  const isLeftOut = picomatch([...layout.leaveOut], { dot: true, nocase: true });
  const forbidden = changes.filter(
    (change) => isLeftOut(change.path) || (layout.withoutNested === true && isNested(change)),
  );
  if (forbidden.length === 0) return { tree: await treeOf(layout, snapshot), left: [] };
  const index = join(layout.gitDir, "index-lay");
  try {
    await run(layout, ["read-tree", snapshot], { index });
    // What goes, first: a file may stand where a folder was.
    const gone = forbidden.filter(({ before }) => before.mode === absent);
    const back = forbidden.filter(({ before }) => before.mode !== absent);
    const lines = [
      ...gone.map(({ path }) => `0 ${"0".repeat(40)}\t${bytes(path)}\0`),
      ...back.map(({ path, before }) => `${before.mode} ${before.object}\t${bytes(path)}\0`),
    ];
    await run(layout, ["update-index", "-z", "--index-info"], { index, stdin: lines.join("") });
    const tree = (await run(layout, ["write-tree", "--missing-ok"], { index })).out.trim();
    return { tree, left: forbidden };
  } finally {
    await rm(index, { force: true });
  }
}

const absent = "000000";
const submodule = "160000";

interface Application {
  readonly before: string;
  readonly tree: string;
  readonly tip: string;
}

/** What `before` → `tree` changes, done to the tip; git finds the common ground where we make it. */
async function apply(
  layout: Layout,
  { before, tree, tip }: Application,
): Promise<{ readonly tree: string } | { readonly conflicts: readonly string[] }> {
  const there = await treeOf(layout, tip);
  if (there === before) return { tree };
  const ground = await commit(layout, { tree: before, parent: undefined, message: "ground" });
  const ours = await commit(layout, { tree: there, parent: ground, message: "ours" });
  const theirs = await commit(layout, { tree, parent: ground, message: "theirs" });
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
  const merged = await run(layout, args, { accept: [0, 1] });
  const [made = "", ...conflicts] = merged.out.split("\0").filter((field) => field !== "");
  return merged.code === 0 ? { tree: made } : { conflicts: [...new Set(conflicts.map(readable))] };
}

interface Made {
  readonly tree: string;
  readonly parent: string | undefined;
  readonly message: string;
}

async function commit(layout: Layout, { tree, parent, message }: Made): Promise<string> {
  const stdin = Buffer.from(message, "utf8").toString("latin1");
  const parents = parent === undefined ? [] : ["-p", parent];
  return (await run(layout, ["commit-tree", tree, ...parents, "-F", "-"], { stdin })).out.trim();
}

/** Only what is new counts. */
async function sizeOf(layout: Layout, changes: readonly Change[]): Promise<number> {
  const objects = changes
    .filter(({ after }) => after.mode !== absent && after.mode !== submodule)
    .map(({ after }) => after.object);
  if (objects.length === 0) return 0;
  const stdin = `${objects.join("\n")}\n`;
  const { out } = await run(layout, ["cat-file", "--batch-check=%(objectsize)"], { stdin });
  return out.split("\n").reduce((all, size) => all + (Number(size) || 0), 0);
}
