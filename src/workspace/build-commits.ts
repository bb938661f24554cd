import { rm } from "node:fs/promises";
import { join } from "node:path";
import { bytes, git } from "../git/git.ts";
import { absent, formatOf, submodule, writeCommit } from "../git/objects.ts";
import { compareTrees, mergedIn, mergeTree, readTrees, type TreeChange } from "./compare-trees.ts";
import { matchGlobs } from "./match-globs.ts";

/** The work to commit on a branch. */
export interface CommitPlan {
  /** The private repository with the snapshots. */
  readonly gitDir: string;
  /** The commit the work started from. */
  readonly base: string;
  /** The commit to build on: `base` itself, or the tip of a branch that has moved on. */
  readonly onto: string;
  readonly steps: readonly CommitStep[];
  /** For example `Ann <ann@example.com>`; default: until-green. */
  readonly author?: string | undefined;
  /** Globs, relative to the repository's top, for paths that stay as in `base`. */
  readonly leaveOut: readonly string[];
  /** True to omit nested repositories, whose commits exist only here. */
  readonly withoutNested?: boolean;
  /** True to commit conflicting files with git's markers; otherwise no commit is made. */
  readonly withConflicts?: boolean;
  readonly signal: AbortSignal;
}

export interface CommitStep {
  readonly snapshot: string;
  readonly message: string;
  /** True if the step started from `base`, in parallel with the others; false if it builds on the previous step. */
  readonly parallel?: boolean;
}

export interface BuiltCommits {
  /** The last commit; `undefined` if the work changes nothing. */
  readonly tip: string | undefined;
  /** The paths it changes in `onto`. */
  readonly files: readonly string[];
  /** Total size of the changed files, in bytes. */
  readonly bytes: number;
  /** Paths that the work changed although it must not. */
  readonly leftOut: readonly string[];
  /** Folders that are left out because they are separate repositories. */
  readonly nested: readonly string[];
  /** Conflicts with `onto`. Then there is no tip, unless conflicts are committed too. */
  readonly conflicts: readonly string[];
  /** Parallel steps that are left out because they conflict with earlier ones. */
  readonly unfit: readonly Unfit[];
}

interface Unfit {
  readonly step: CommitStep;
  readonly conflicts: readonly string[];
  /** The earlier steps that it conflicts with; empty if it conflicts with the content of `onto`. */
  readonly with: readonly CommitStep[];
}

/** Builds commits from the work in the private repository: one for each step that changes something. */
export async function buildCommits(layout: CommitPlan): Promise<BuiltCommits> {
  const { base, onto, steps } = layout;
  const leftOut: TreeChange[] = [];
  const unfit: Unfit[] = [];
  const marked: string[] = [];
  const nothing = { tip: undefined, files: [], bytes: 0, conflicts: marked, unfit };
  const named = [base, onto, ...steps.map(({ snapshot }) => snapshot)];
  const [baseTree = "", top = "", ...snapshots] = await readTrees(layout, named);
  const changes = await compareTrees(layout, { from: baseTree, to: snapshots });
  const writers = new Map<string, CommitStep>();
  let before = baseTree;
  let tip: Tip = { commit: onto, tree: top };
  for (const [at, step] of steps.entries()) {
    if (step.parallel === true) before = baseTree;
    const made = snapshots[at] ?? "";
    const { tree, left, kept } = await allowed(layout, made, changes.get(made) ?? []);
    leftOut.push(...left);
    if (tree === before) continue;
    const merged = await apply(layout, { before, tree, tip });
    const { conflicts } = merged;
    if (layout.withConflicts === true) marked.push(...conflicts);
    else if (conflicts.length > 0 && step.parallel !== true)
      return { ...nothing, ...leftIn(leftOut), conflicts };
    else if (conflicts.length > 0) {
      unfit.push({ step, conflicts, with: writersOf(writers, conflicts) });
      continue;
    }
    tip = onTop(layout, tip, { tree: merged.tree, message: step.message });
    before = tree;
    noteWriter(writers, kept, step);
  }
  return { ...nothing, ...(await measure(layout, tip.commit)), ...leftIn(leftOut) };
}

/** Commits this tree on top of the tip, unless it changes nothing. */
const onTop = (layout: CommitPlan, tip: Tip, { tree, message }: Omit<Made, "parent">): Tip =>
  tree === tip.tree ? tip : { commit: commit(layout, { tree, parent: tip.commit, message }), tree };

interface Tip {
  readonly commit: string;
  readonly tree: string;
}

function noteWriter(writers: Map<string, CommitStep>, changes: Allowed["kept"], step: CommitStep): void {
  for (const { path } of changes) writers.set(path, step);
}

/** The steps that changed these paths, or paths above or below them. */
function writersOf(
  writers: ReadonlyMap<string, CommitStep>,
  conflicts: readonly string[],
): readonly CommitStep[] {
  const isNear = (one: string, other: string) =>
    one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
  const near = [...writers].filter(([path]) => conflicts.some((conflict) => isNear(conflict, path)));
  return [...new Set(near.map(([, step]) => step))];
}

function leftIn(left: readonly TreeChange[]): Pick<BuiltCommits, "leftOut" | "nested"> {
  const pathsOf = (changes: readonly TreeChange[]) => [...new Set(changes.map(({ path }) => path))];
  return { leftOut: pathsOf(left.filter((it) => !isNested(it))), nested: pathsOf(left.filter(isNested)) };
}

const isNested = ({ before, after }: TreeChange) => after.mode === submodule && before.mode !== submodule;

/** The built commits; empty if they change nothing. */
async function measure(layout: CommitPlan, tip: string): Promise<Partial<BuiltCommits>> {
  const { onto } = layout;
  if (tip === onto) return {};
  const [from = "", to = ""] = await readTrees(layout, [onto, tip]);
  const changed = (await compareTrees(layout, { from, to: [to] })).get(to) ?? [];
  if (changed.length === 0) return {};
  return { tip, files: changed.map(({ path }) => path), bytes: await sizeOf(layout, changed) };
}

const run = (
  { gitDir, signal }: CommitPlan,
  args: readonly string[],
  { index, ...more }: { stdin?: string; index?: string; accept?: readonly number[] } = {},
) => git({ cwd: gitDir, args, signal, ...more, env: { GIT_DIR: gitDir, GIT_INDEX_FILE: index } });

interface Allowed {
  readonly tree: string;
  readonly left: readonly TreeChange[];
  readonly kept: readonly TreeChange[];
}

/** The tree of a snapshot, with the paths that must be left out reset to `base`. */
async function allowed(layout: CommitPlan, tree: string, changes: readonly TreeChange[]): Promise<Allowed> {
  const isLeftOut = matchGlobs(layout.leaveOut, { nocase: true });
  const forbidden = changes.filter(
    (change) => isLeftOut(change.path) || (layout.withoutNested === true && isNested(change)),
  );
  if (forbidden.length === 0) return { tree, left: [], kept: changes };
  const index = join(layout.gitDir, "index-lay");
  try {
    await run(layout, ["read-tree", tree], { index });
    // Deletions first, because a file may replace a folder.
    const gone = forbidden.filter(({ before }) => before.mode === absent);
    const back = forbidden.filter(({ before }) => before.mode !== absent);
    const lines = [
      ...gone.map(({ path }) => `0 ${"0".repeat(40)}\t${bytes(path)}\0`),
      ...back.map(({ path, before }) => `${before.mode} ${before.object}\t${bytes(path)}\0`),
    ];
    await run(layout, ["update-index", "-z", "--index-info"], { index, stdin: lines.join("") });
    const made = (await run(layout, ["write-tree", "--missing-ok"], { index })).out.trim();
    return { tree: made, left: forbidden, kept: changes.filter((change) => !forbidden.includes(change)) };
  } finally {
    await rm(index, { force: true });
  }
}

interface Application {
  readonly before: string;
  readonly tree: string;
  readonly tip: Tip;
}

/** Applies the change `before` → `tree` to the tip. The commits created here give git the right merge base. */
async function apply(
  layout: CommitPlan,
  { before, tree, tip }: Application,
): Promise<{ readonly tree: string; readonly conflicts: readonly string[] }> {
  if (tip.tree === before) return { tree, conflicts: [] };
  const baseCommit = commit(layout, { tree: before, parent: undefined, message: "ground" });
  const ours = commit(layout, { tree: tip.tree, parent: baseCommit, message: "ours" });
  const theirs = commit(layout, { tree, parent: baseCommit, message: "theirs" });
  return mergedIn(await run(layout, [...mergeTree, ours, theirs], { accept: [0, 1] }));
}

interface Made {
  readonly tree: string;
  readonly parent: string | undefined;
  readonly message: string;
}

/** Written without starting git: a join of many items creates several for each item. */
function commit({ gitDir, author }: CommitPlan, { tree, parent, message }: Made): string {
  return writeCommit(gitDir, formatOf(tree), {
    tree,
    parents: parent === undefined ? [] : [parent],
    message,
    author,
  });
}

/** The size of the new versions only. */
async function sizeOf(layout: CommitPlan, changes: readonly TreeChange[]): Promise<number> {
  const objects = changes
    .filter(({ after }) => after.mode !== absent && after.mode !== submodule)
    .map(({ after }) => after.object);
  if (objects.length === 0) return 0;
  const stdin = `${objects.join("\n")}\n`;
  const { out } = await run(layout, ["cat-file", "--batch-check=%(objectsize)"], { stdin });
  return out.split("\n").reduce((all, size) => all + (Number(size) || 0), 0);
}

/** Creates a commit with the files of another one, but with these parents. */
export async function mergeCommit(
  gitDir: string,
  {
    files,
    parents,
    message,
  }: { readonly files: string; readonly parents: readonly string[]; readonly message: string },
): Promise<string> {
  const parentArgs = parents.flatMap((parent) => ["-p", parent]);
  const args = ["commit-tree", `${files}^{tree}`, ...parentArgs, "-m", message];
  return (await git({ cwd: gitDir, args, env: { GIT_DIR: gitDir } })).out.trim();
}
