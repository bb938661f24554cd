import { git } from "../../git/git.ts";
import { readObjects } from "../../git/objects.ts";
import { NotThereError, type Remote } from "../../git/remote.ts";
import { fetchObjects, listRefs } from "../../git/remote-calls.ts";
import type { Json } from "../../ports/json.ts";
import { BrokenLogError, type RecordedRun } from "../../ports/store.ts";
import { placeOf } from "../run-id.ts";
import { broken, type LogCommit, verifyLogCommit } from "./commit-log.ts";
import { spaces } from "./run-refs.ts";
import type { StateKey } from "./sign.ts";

interface ReadRequest {
  readonly runs: readonly string[];
  /** A repository for these calls only. */
  readonly gitDir: string;
  /** Verifies signatures, if set. */
  readonly key: StateKey | undefined;
}

/** Reads many runs from a remote with one listing and one fetch; skips unknown runs. */
export async function readManyRuns(
  remote: Remote,
  { runs, gitDir, key }: ReadRequest,
): Promise<ReadonlyMap<string, RecordedRun>> {
  const refs = await listRefs(remote, { gitDir, patterns: patternsFor(runs) });
  const tips = new Map(
    runs.flatMap((run) => {
      const tip = spaces.map((space) => refs.get(`${space}/${placeOf(run)}/state`)).find(Boolean);
      return tip === undefined ? [] : [[run, tip] as const];
    }),
  );
  await fetchCommits(remote, { gitDir, commits: [...tips.values()] });
  const commits = await readCommits(gitDir, [...tips.values()]);
  return new Map([...tips].map(([run, tip]) => [run, verified({ run, tip, commits, key })]));
}

/** One pattern covers all items of a run: patterns are passed on a command line, where space is limited. */
function patternsFor(runs: readonly string[]): readonly string[] {
  const places = new Set(runs.map((run) => placeOf(run).replace(/\/\d+$/, "")));
  return [...places].flatMap((place) => spaces.map((space) => `${space}/${place}/*`));
}

/** Fetches commits by id in one exchange. If the host lacks a commit, the others are still fetched. */
export async function fetchCommits(
  remote: Remote,
  {
    gitDir,
    commits,
    options = [],
  }: { gitDir: string; commits: readonly string[]; options?: readonly string[] },
): Promise<void> {
  // A host may list a ref that it cannot read with an id of zeros.
  let left = [...new Set(commits)].filter((id) => !/^0+$/.test(id));
  while (left.length > 0) {
    try {
      await fetchObjects(remote, { gitDir, what: left, options });
      return;
    } catch (error) {
      const lost = error instanceof NotThereError ? left.filter((id) => error.message.includes(id)) : [];
      if (lost.length === 0) throw error;
      left = left.filter((id) => !lost.includes(id));
    }
  }
}

interface RawCommit {
  readonly parents: readonly string[];
  readonly state: Buffer | undefined;
  readonly events: Buffer | undefined;
}

async function readCommits(gitDir: string, tips: readonly string[]): Promise<ReadonlyMap<string, RawCommit>> {
  if (tips.length === 0) return new Map();
  const stdin = tips.map((tip) => `${tip}\n`).join("");
  const { out } = await git({
    cwd: gitDir,
    args: ["rev-list", "--parents", "--ignore-missing", "--stdin"],
    stdin,
  });
  const rows = out.split("\n").filter(Boolean);
  const files = await readObjects(
    gitDir,
    rows.flatMap((row) => [`${row.split(" ")[0]}:state`, `${row.split(" ")[0]}:events`]),
  );
  return new Map(
    rows.map((row, index) => {
      const [id = "", ...parents] = row.split(" ");
      return [id, { parents, state: files[index * 2], events: files[index * 2 + 1] }];
    }),
  );
}

interface Chain {
  readonly run: string;
  readonly tip: string;
  readonly commits: ReadonlyMap<string, RawCommit>;
  readonly key: StateKey | undefined;
}

/** Verifies one run; damage is returned, so that it does not affect the other runs. */
function verified({ run, tip, commits, key }: Chain): RecordedRun {
  try {
    const ids: string[] = [];
    for (let id: string | undefined = tip; id !== undefined; ) {
      ids.push(id);
      const parents: readonly string[] = commits.get(id)?.parents ?? [];
      if (parents.length > 1) throw broken(run, id, "it does not begin there");
      id = parents[0];
    }
    const newest = ids.reduceRight<LogCommit | undefined>((last, id) => {
      const { state, events } = commits.get(id) ?? { state: undefined, events: undefined };
      return verifyLogCommit({ run, id, last, key, state, events });
    }, undefined);
    return { status: newest?.head.status as Json | undefined };
  } catch (error) {
    if (!(error instanceof BrokenLogError)) throw error;
    return { status: undefined, damage: error };
  }
}
