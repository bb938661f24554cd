import { runAt } from "../run-id.ts";
import { type Head, readHead } from "./chain.ts";
import { readObjects } from "./objects.ts";
import { spaces } from "./record.ts";
import type { Remote } from "./remote.ts";
import { fetchObjects, listRefs } from "./remote-calls.ts";

/** A run a remote keeps, as the newest commit of its state tells. */
export interface KeptRun {
  readonly id: string;
  readonly head: Head | undefined;
}

/** The ids of all runs a remote keeps, newest first. Its repository is one of its own: histories are cut off in it. */
export async function listRuns(remote: Remote, gitDir: string): Promise<readonly string[]> {
  const tips = await tipsOf(remote, gitDir);
  const runs = tips.map(({ id, head }) => ({ id, started: head?.started ?? "" }));
  const newest = (a: (typeof runs)[number], b: (typeof runs)[number]) =>
    compare(b.started, a.started) || compare(b.id, a.id);
  return [...new Set(runs.toSorted(newest).map(({ id }) => id))];
}

/** All runs a remote keeps, each with its newest commit, in no order. */
export async function tipsOf(remote: Remote, gitDir: string): Promise<readonly KeptRun[]> {
  const refs = await listRefs(remote, { gitDir, patterns: spaces.map((space) => `${space}/*`) });
  const found = [...refs].flatMap(([ref, tip]) => {
    const id = runAt(nameIn(ref));
    return id === undefined ? [] : [{ id, ref, tip }];
  });
  for (let at = 0; at < found.length; at += atOnce) {
    const what = found.slice(at, at + atOnce).map(({ ref }) => ref);
    await fetchObjects(remote, { gitDir, what, options: ["--depth=1"] });
  }
  const states = await readObjects(
    gitDir,
    found.map(({ tip }) => `${tip}:state`),
  );
  return found.map(({ id }, index) => ({ id, head: readHead(states[index]) }));
}

/** What of a ref's name follows the space of all runs. */
export const nameIn = (ref: string) => ref.replace(/^refs\/(?:heads\/)?until-green\//, "");

/** Refs asked for in one fetch: they stand on a command line. */
const atOnce = 200;

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
