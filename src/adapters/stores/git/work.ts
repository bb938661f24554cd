import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { borrowObjects } from "../../workspace/checkout.ts";
import { git } from "../../workspace/git.ts";
import { type RunRecord, refOf } from "./record.ts";
import { fetchObjects } from "./remote.ts";

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
  const parents = ["-p", snapshot, "-p", work];
  const made = await git({
    cwd: gitDir,
    args: ["commit-tree", `${snapshot}^{tree}`, ...parents, "-m", "another loop begins"],
  });
  return made.out.trim();
}

/** Lets the private repository read the objects of others, and know where their history was cut off. */
export async function borrow(gitDir: string, sources: readonly string[]): Promise<void> {
  const there = sources.filter((objects) => existsSync(objects));
  await borrowObjects(gitDir, ...there);
  const cuts = [gitDir, ...there.map(dirname)].flatMap((repository) => shallowOf(repository));
  if (cuts.length > 0) writeFileSync(join(gitDir, "shallow"), `${[...new Set(cuts)].join("\n")}\n`);
}

function shallowOf(repository: string): readonly string[] {
  const file = join(repository, "shallow");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}
