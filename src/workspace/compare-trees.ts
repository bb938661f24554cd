import { bytes, type GitAnswer, git, readable } from "../git/git.ts";
import { readObjects } from "../git/objects.ts";

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

interface MarkerSearch {
  readonly base: string;
  readonly commit: string;
  readonly signal: AbortSignal;
  /** The files that had conflicts, in the commit in which git marked them. */
  readonly marked?: { readonly commit: string; readonly paths: readonly string[] } | undefined;
}

/**
 * The files of a commit that contain conflict markers that git wrote for us. Git names the commits in them, so they
 * are found in every file that was changed; the line between the two sides is counted in the files that had conflicts.
 */
export async function findMarkers(
  gitDir: string,
  { base, commit, signal, marked }: MarkerSearch,
): Promise<readonly string[]> {
  const found = new Set(await withOwnMarkers({ gitDir, signal }, base, commit));
  for (const path of marked?.paths ?? []) {
    const text = await textOf(gitDir, commit, path);
    const was = await textOf(gitDir, marked?.commit ?? "", path);
    const own = count(was, /^={7}$/gm) - Math.min(count(was, /^<{7} /gm), count(was, /^>{7} /gm));
    if (/^(?:<{7}|>{7}) /m.test(text) || (was !== "" && count(text, /^={7}$/gm) > own)) found.add(path);
  }
  return [...found].sort();
}

/** The changed files that have a marker with the id of a commit, which their earlier versions do not have. */
async function withOwnMarkers(
  place: PrivateRepository,
  base: string,
  commit: string,
): Promise<readonly string[]> {
  const [from = "", to = ""] = await readTrees(place, [base, commit]);
  const changes = (await compareTrees(place, { from, to: [to] })).get(to) ?? [];
  const bodies = await readObjects(
    place.gitDir,
    changes.map(({ after }) => after.object),
  );
  const marked = changes.filter((_, at) => ownMarker.test(bodies[at]?.toString("latin1") ?? ""));
  const earlier = await readObjects(
    place.gitDir,
    marked.map(({ before }) => before.object),
  );
  return marked
    .filter((_, at) => !ownMarker.test(earlier[at]?.toString("latin1") ?? ""))
    .map(({ path }) => path);
}

const ownMarker = /^(?:<{7}|>{7}) (?:[0-9a-f]{40}|[0-9a-f]{64})\r?$/m;

async function textOf(gitDir: string, commit: string, path: string): Promise<string> {
  if (commit === "") return "";
  const args = ["cat-file", "blob", `${commit}:${bytes(path)}`];
  const { out } = await git({ cwd: gitDir, args, env: { GIT_DIR: gitDir }, accept: [0, 128] });
  return out;
}

const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;
