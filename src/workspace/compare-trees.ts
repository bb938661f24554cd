import { bytes, type GitAnswer, git, readable } from "../git/git.ts";

/** The state of a path before and after a change. Modes and ids as git prints them; zeros if there is no file. */
export interface TreeChange {
  readonly path: string;
  readonly before: { readonly mode: string; readonly object: string };
  readonly after: { readonly mode: string; readonly object: string };
}

interface PrivateRepository {
  /** The private repository. */
  readonly gitDir: string;
  readonly signal: AbortSignal;
}

/** The changes from one tree to each of several others, with a single git process. */
export async function compareTrees(
  { gitDir, signal }: PrivateRepository,
  { from, to }: { readonly from: string; readonly to: readonly string[] },
): Promise<ReadonlyMap<string, readonly TreeChange[]>> {
  const stdin = [...new Set(to)].map((tree) => `${from} ${tree}\n`).join("");
  if (stdin === "") return new Map();
  const args = ["diff-tree", "--stdin", "-r", "--raw", "-z", "--no-renames", "--no-abbrev"];
  const { out } = await git({ cwd: gitDir, args, stdin, signal, env: { GIT_DIR: gitDir } });
  return parseComparison(out, from);
}

/** Each comparison starts with a line that has both trees; each field of a change ends with a zero byte. */
function parseComparison(out: string, from: string): ReadonlyMap<string, readonly TreeChange[]> {
  const changesByPath = new Map<string, TreeChange[]>();
  let changes: TreeChange[] = [];
  for (let at = 0; at < out.length; ) {
    if (out[at] !== ":") {
      const end = out.indexOf("\n", at);
      changes = [];
      changesByPath.set(out.slice(at + from.length + 1, end), changes);
      at = end + 1;
      continue;
    }
    const middle = out.indexOf("\0", at);
    const end = out.indexOf("\0", middle + 1);
    const [mode = "", modeAfter = "", object = "", objectAfter = ""] = out.slice(at + 1, middle).split(" ");
    const path = readable(out.slice(middle + 1, end));
    changes.push({ path, before: { mode, object }, after: { mode: modeAfter, object: objectAfter } });
    at = end + 1;
  }
  return changesByPath;
}

/** The trees of commits, with a single git process; throws if a commit is missing. */
export async function readTrees(
  { gitDir, signal }: PrivateRepository,
  commits: readonly string[],
): Promise<readonly string[]> {
  const stdin = commits.map((commit) => `${commit}^{tree}\n`).join("");
  const args = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
  const { out } = await git({ cwd: gitDir, args, stdin, signal, env: { GIT_DIR: gitDir } });
  return out
    .trimEnd()
    .split("\n")
    .map((row, at) => {
      const [tree = "", type] = row.split(" ");
      if (type !== "tree") throw new Error(`the commit ${commits[at]} is not in ${gitDir}`);
      return tree;
    });
}

/** Git's command to merge the two commits named next, without a checkout. */
export const mergeTree = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];

/** The tree and the conflicting paths in the answer to that command. */
export function mergedIn({ code, out }: GitAnswer) {
  const [tree = "", ...conflicts] = out.split("\0").filter((field) => field !== "");
  return { tree, conflicts: code === 0 ? [] : [...new Set(conflicts.map(readable))] };
}

/** The number of lines added and removed between two commits of a private repository. */
export async function countLines(gitDir: string, from: string, to: string): Promise<number> {
  const args = ["diff-tree", "-r", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", from, to];
  const { out } = await git({ cwd: gitDir, args, env: { GIT_DIR: gitDir } });
  return [...out.matchAll(/^(\d+)\t(\d+)\t/gm)].reduce(
    (sum, [, added, removed]) => sum + Number(added) + Number(removed),
    0,
  );
}

/** The files among these that contain git's conflict markers in a commit. */
export async function findMarkers(
  gitDir: string,
  { commit, paths }: { readonly commit: string; readonly paths: readonly string[] },
): Promise<readonly string[]> {
  const marked: string[] = [];
  for (const path of paths) {
    const args = ["cat-file", "blob", `${commit}:${bytes(path)}`];
    const { code, out } = await git({ cwd: gitDir, args, env: { GIT_DIR: gitDir }, accept: [0, 128] });
    if (code === 0 && /^<{7} /m.test(out) && /^>{7} /m.test(out)) marked.push(path);
  }
  return marked;
}
