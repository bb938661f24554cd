import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inflateSync } from "node:zlib";
import { borrowObjects } from "../../workspace/checkout.ts";
import { git } from "../../workspace/git.ts";
import { cutsOf, deepenedIn } from "./deepen.ts";
import { type RunRecord, refOf } from "./record.ts";
import { fetchObjects } from "./remote-calls.ts";

/**
 * The commit the `work` ref should point to so that it carries a snapshot and still moves forward only: the snapshot
 * itself, or, where it does not stand on the snapshot before (another loop began from the checkout's own commit), a
 * commit that joins both. `undefined` where the snapshot is not on this machine.
 */
export async function workTip(
  record: RunRecord,
  snapshot: string,
  sources: readonly string[],
): Promise<string | undefined> {
  const { gitDir, work } = record;
  await borrow(gitDir, sources);
  // The usual case, without starting git: just made here, on top of the one before.
  const parents = parentsOf(snapshot, sources);
  if (parents !== undefined && (work === undefined || work === snapshot || parents.includes(work)))
    return snapshot;
  const ask = (...args: readonly string[]) => git({ cwd: gitDir, args, accept: [0, 1, 128] });
  const { code } = await ask("cat-file", "-e", `${snapshot}^{tree}`);
  if (code !== 0) return undefined;
  if (work === undefined || work === snapshot) return snapshot;
  if ((await ask("cat-file", "-e", `${work}^{commit}`)).code !== 0) {
    await fetchObjects(record.remote, {
      gitDir,
      what: [refOf(record, "work")],
      options: ["--depth=1"],
    });
  }
  if ((await ask("merge-base", "--is-ancestor", work, snapshot)).code === 0) return snapshot;
  // It came with a join before: nothing is new.
  if ((await ask("merge-base", "--is-ancestor", snapshot, work)).code === 0) return work;
  const both = ["-p", snapshot, "-p", work];
  const made = await git({
    cwd: gitDir,
    args: ["commit-tree", `${snapshot}^{tree}`, ...both, "-m", "another loop begins"],
  });
  return made.out.trim();
}

/** The parents of a commit that lies by itself in one of these; `undefined` where it does not. */
function parentsOf(commit: string, sources: readonly string[]): readonly string[] | undefined {
  const paths = sources.map((objects) => join(objects, commit.slice(0, 2), commit.slice(2)));
  const path = paths.find((one) => existsSync(one));
  if (path === undefined) return undefined;
  const [head = ""] = inflateSync(readFileSync(path)).toString("latin1").split("\n\n");
  return [...head.matchAll(/^parent (\S+)$/gm)].map(([, parent = ""]) => parent);
}

/** Lets the private repository read the objects of others, and know where their history was cut off. */
export async function borrow(gitDir: string, sources: readonly string[]): Promise<void> {
  const there = sources.filter((objects) => existsSync(objects));
  await borrowObjects(gitDir, ...there);
  const whole = new Set(deepenedIn(gitDir));
  const cuts = [gitDir, ...there.map(dirname)].flatMap(cutsOf).filter((commit) => !whole.has(commit));
  if (cuts.length > 0) writeFileSync(join(gitDir, "shallow"), `${[...new Set(cuts)].join("\n")}\n`);
}
