import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inflateSync } from "node:zlib";
import { cutsOf, deepenedIn } from "../../git/deepen.ts";
import { git } from "../../git/git.ts";
import { fetchObjects } from "../../git/remote-calls.ts";
import { replaceFile } from "../../processes/replace-file.ts";
import { borrowObjects } from "../../workspace/checkout.ts";
import { type RemoteRun, refOf } from "./run-refs.ts";

/**
 * The commit that the `work` ref should point to in order to carry a snapshot and still only fast-forward: the snapshot
 * itself; or, if it does not descend from the previous one (another loop started from the checkout's own commit), a
 * merge of both. `undefined` if the snapshot is not on this machine.
 */
export async function workTip(
  record: RemoteRun,
  snapshot: string,
  sources: readonly string[],
): Promise<string | undefined> {
  const { gitDir, work } = record;
  await addAlternates(gitDir, sources);
  // The usual case, without starting git: it was just created here, on top of the previous one.
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
  // It is part of an earlier merge: nothing is new.
  if ((await ask("merge-base", "--is-ancestor", snapshot, work)).code === 0) return work;
  const both = ["-p", snapshot, "-p", work];
  const made = await git({
    cwd: gitDir,
    args: ["commit-tree", `${snapshot}^{tree}`, ...both, "-m", "another loop begins"],
  });
  return made.out.trim();
}

/** The parents of a loose commit in one of these repositories; `undefined` if it is not loose there. */
function parentsOf(commit: string, sources: readonly string[]): readonly string[] | undefined {
  const paths = sources.map((objects) => join(objects, commit.slice(0, 2), commit.slice(2)));
  const path = paths.find((one) => existsSync(one));
  if (path === undefined) return undefined;
  const [head = ""] = inflateSync(readFileSync(path)).toString("latin1").split("\n\n");
  return [...head.matchAll(/^parent (\S+)$/gm)].map(([, parent = ""]) => parent);
}

/** Lets the private repository read the objects of others, and copies their lists of shallow commits. */
export async function addAlternates(gitDir: string, sources: readonly string[]): Promise<void> {
  const there = sources.filter((objects) => existsSync(objects));
  await borrowObjects(gitDir, ...there);
  const whole = new Set(deepenedIn(gitDir));
  const cuts = [gitDir, ...there.map(dirname)].flatMap(cutsOf).filter((commit) => !whole.has(commit));
  if (cuts.length > 0) replaceFile(join(gitDir, "shallow"), `${[...new Set(cuts)].join("\n")}\n`);
}
