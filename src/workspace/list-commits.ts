import { git } from "../git/git.ts";
import { compareTrees, readTrees, type TreeChange } from "./compare-trees.ts";

/** A commit of the private repository that the host does not have yet. */
export interface NewCommit {
  readonly id: string;
  readonly message: string;
  readonly parents: readonly string[];
  readonly tree: string;
  /** The tree of its first parent. */
  readonly baseTree: string;
  /** What it changes compared with that tree. */
  readonly changes: readonly TreeChange[];
}

interface Range {
  readonly gitDir: string;
  readonly tip: string;
  /** Commits that the host has. */
  readonly known: readonly string[];
  readonly signal: AbortSignal;
}

/** The commits between the known ones and the tip, parents first. */
export async function listCommits({ gitDir, tip, known, signal }: Range): Promise<readonly NewCommit[]> {
  const listed = new Map<string, NewCommit>();
  const add = async (id: string): Promise<void> => {
    if (known.includes(id) || listed.has(id)) return;
    const commit = await readCommit({ gitDir, signal }, id);
    for (const parent of commit.parents) await add(parent);
    listed.set(id, commit);
  };
  await add(tip);
  return [...listed.values()];
}

async function readCommit(place: Pick<Range, "gitDir" | "signal">, id: string): Promise<NewCommit> {
  const { gitDir, signal } = place;
  const args = ["log", "-1", "--format=%P%n%B", id];
  const { out } = await git({ cwd: gitDir, args, signal, env: { GIT_DIR: gitDir } });
  const [first = "", ...message] = Buffer.from(out, "latin1").toString("utf8").split("\n");
  const parents = first.split(" ").filter(Boolean);
  const [tree = "", baseTree = ""] = await readTrees(place, [id, parents[0] ?? id]);
  const changes = (await compareTrees(place, { from: baseTree, to: [tree] })).get(tree) ?? [];
  return { id, message: `${message.join("\n").trimEnd()}\n`, parents, tree, baseTree, changes };
}

/** The bytes of a file, or the target of a link. */
export async function readBlob(
  { gitDir, signal }: Pick<Range, "gitDir" | "signal">,
  id: string,
): Promise<Buffer> {
  const args = ["cat-file", "blob", id];
  return Buffer.from((await git({ cwd: gitDir, args, signal, env: { GIT_DIR: gitDir } })).out, "latin1");
}
