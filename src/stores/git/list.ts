import { readObjects } from "../../git/objects.ts";
import type { Remote } from "../../git/remote.ts";
import { listRefs } from "../../git/remote-calls.ts";
import { runAt } from "../run-id.ts";
import { type LogHead, readHead } from "./commit-log.ts";
import { fetchCommits } from "./many-runs.ts";
import { spaces } from "./run-refs.ts";
import type { StateKey } from "./sign.ts";

/** A run at a remote, as described by its newest state commit. */
export interface StoredRun {
  readonly id: string;
  readonly head: LogHead | undefined;
}

/** The ids of all runs at a remote, newest first. Uses a separate local repository, in which histories are shallow. */
export async function listRuns(remote: Remote, gitDir: string): Promise<readonly string[]> {
  const tips = await tipsOf(remote, gitDir, undefined);
  const runs = tips.map(({ id, head }) => ({ id, started: head?.started ?? "" }));
  const newest = (a: (typeof runs)[number], b: (typeof runs)[number]) =>
    compare(b.started, a.started) || compare(b.id, a.id);
  return [...new Set(runs.toSorted(newest).map(({ id }) => id))];
}

/** All runs at a remote with their newest commits, in no particular order. */
export async function tipsOf(
  remote: Remote,
  gitDir: string,
  key: StateKey | undefined,
): Promise<readonly StoredRun[]> {
  const runs = [...(await refsOfRuns(remote, gitDir))].flatMap(([ref, tip]) => {
    const id = runAt(nameIn(ref));
    return id === undefined ? [] : [{ id, ref, tip }];
  });
  await fetchCommits(remote, { gitDir, commits: runs.map(({ tip }) => tip), options: ["--depth=1"] });
  const states = await readObjects(
    gitDir,
    runs.map(({ tip }) => `${tip}:state`),
  );
  return runs.map(({ id }, index) => ({ id, head: readHead(states[index], key) }));
}

/** The refs of all runs at a remote, with their commits. */
export const refsOfRuns = (remote: Remote, gitDir: string): Promise<ReadonlyMap<string, string>> =>
  listRefs(remote, { gitDir, patterns: spaces.map((space) => `${space}/*`) });

/** The name of a ref after the common prefix of all runs. */
export const nameIn = (ref: string) => ref.replace(/^refs\/(?:heads\/)?until-green\//, "");

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
