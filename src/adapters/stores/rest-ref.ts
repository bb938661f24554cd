import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { BrokenLogError } from "../../ports/store.ts";
import { statusOf } from "../github/api.ts";
import { digestOf } from "./git/chain.ts";
import { spaces } from "./git/record.ts";
import { isSealed, sealed } from "./git/seal.ts";
import { surveyAtOnce } from "./rest/at-once.ts";
import { look, readRef } from "./rest/look.ts";
import type { Beside, Look, Place, Survey, Tip } from "./rest/tip.ts";
import { assertRunId, placeOf, runAt } from "./run-id.ts";

/** The runs of a repository, read and added to by the host's API alone: no checkout, no git, never a whole log. */
export interface RestRefs {
  /** A run's tip, and what lies beside it, in as few calls as the host allows. */
  look(run: string, beside?: Beside): Promise<Look>;
  /** All runs and what lies beside them, in one call; `undefined` where the host has no such answer, or not of so many. */
  survey(beside?: Beside): Promise<Survey | undefined>;
  /**
   * Adds lines after a tip: `true` if they are on record, `false` if another writer came first. Judged by our own
   * commit, which holds chance, at the ref or below it; never by what the host answered.
   */
  append(tip: Tip, more: More): Promise<boolean>;
  /** The ids of all runs there are. */
  list(): Promise<readonly string[]>;
}

export interface More {
  readonly lines: readonly string[];
  /** Who writes, in words for people. */
  readonly owner: string;
  /** Now, in ISO 8601. */
  readonly at: string;
  /** What else the tip says from now on, by the names of the file `state`. */
  readonly state?: Readonly<Record<string, unknown>>;
}

export interface RestOptions extends Place {
  /** Signs what a commit says of itself, where the chain is signed. */
  readonly key?: string | undefined;
  /** How long to ask again while the host does not make up its mind, in milliseconds. */
  readonly patienceMs?: number;
}

/** Opens the runs of a repository at a host. */
export function restRefs(options: RestOptions): RestRefs {
  return {
    async look(run, beside = {}) {
      assertRunId(run);
      return await look(options, run, beside);
    },
    survey: (beside = {}) => surveyAtOnce(options, beside),
    append: (tip, more) => append(options, tip, more),
    list: () => list(options),
  };
}

async function append(options: RestOptions, tip: Tip, more: More): Promise<boolean> {
  const { api, owner, repo, patienceMs = 60_000 } = options;
  const commit = await writeCommit(options, tip, more);
  const ref = `${tip.space.slice("refs/".length)}/${placeOf(tip.run)}/state`;
  const end = performance.now() + patienceMs;
  for (let pause = 100; ; pause = Math.min(pause * 2, 5_000)) {
    const parameters = { owner, repo, sha: commit, force: false };
    const fault = await api
      .request(`PATCH /repos/{owner}/{repo}/git/refs/${ref}`, parameters)
      .then(() => undefined)
      .catch((error: unknown) => error);
    if (fault === undefined) return true;
    // Reads come late: until the ref shows another commit, it may still be ours to move.
    const now = await readRef(options, tip.space, tip.run);
    if (now === commit) return true;
    if (now !== tip.commit) return now !== undefined && (await isBelow(options, commit, now));
    if ([401, 403].includes(statusOf(fault) ?? 0) || performance.now() + pause > end) throw fault;
    await wait(pause * (0.8 + Math.random() * 0.4));
  }
}

const made = z.object({ sha: z.string() });

async function writeCommit(options: RestOptions, tip: Tip, { lines, owner: by, at, state }: More) {
  const { api, owner, repo, key } = options;
  if (lines.some((line) => line.includes("\n"))) throw new Error("a line of a log may not hold a line break");
  const nonce = randomBytes(16).toString("hex");
  const events = lines.map((line) => `${line}\n`).join("");
  const { head } = tip;
  const { seal, ...before } = tip.state;
  if (key === undefined ? seal !== undefined : !isSealed(tip.state, key))
    throw new BrokenLogError(
      `the record of run ${tip.run} is ${seal === undefined ? "not " : ""}signed, and here is ` +
        `${key === undefined ? "no" : "another"} state key: give the app the key that its jobs have`,
    );
  const next = {
    ...before,
    ...state,
    seq: head.seq + 1,
    nonce,
    owner: by,
    lines: head.lines + lines.length,
    digest: digestOf(head.digest, Buffer.from(events)),
  };
  const file = { mode: "100644", type: "blob" } as const;
  // The tip's own files name the folders that lie beside them.
  const folders = (["artifacts", "sessions"] as const).flatMap((path) => {
    const sha = head[path];
    return sha === undefined ? [] : [{ mode: "040000", type: "tree", path, sha }];
  });
  const tree = await api.request("POST /repos/{owner}/{repo}/git/trees", {
    owner,
    repo,
    tree: [
      {
        ...file,
        path: "state",
        content: `${JSON.stringify(key === undefined ? next : sealed(next, key), undefined, 2)}\n`,
      },
      { ...file, path: "events", content: events },
      ...folders,
    ],
  });
  const who = { name: "until-green", email: "until-green@users.noreply.github.com", date: at };
  const commit = await api.request("POST /repos/{owner}/{repo}/git/commits", {
    owner,
    repo,
    message: `${tip.run}: ${next.seq}\n\n${nonce}`,
    tree: made.parse(tree.data).sha,
    parents: [tip.commit],
    author: who,
    committer: who,
  });
  return made.parse(commit.data).sha;
}

const parents = z.object({ parents: z.array(z.object({ sha: z.string() })) });

/** Whether a commit is one of the last before another: it won, and was built upon since. */
async function isBelow(options: RestOptions, commit: string, tip: string): Promise<boolean> {
  const { api, owner, repo } = options;
  let at: string | undefined = tip;
  for (let step = 0; step < mostSteps && at !== undefined; step++) {
    const { data } = await api.request(`GET /repos/{owner}/{repo}/git/commits/${at}`, { owner, repo });
    at = parents.parse(data).parents[0]?.sha;
    if (at === commit) return true;
  }
  return false;
}

/** A run gets far fewer commits than this while one update is in doubt. */
const mostSteps = 10;

const refs = z.array(z.object({ ref: z.string() }));

async function list({ api, owner, repo }: RestOptions): Promise<readonly string[]> {
  const found = await Promise.all(
    spaces.map(async (space) => {
      const prefix = `${space.slice("refs/".length)}/`;
      const { data } = await api.request(`GET /repos/{owner}/{repo}/git/matching-refs/${prefix}`, {
        owner,
        repo,
      });
      return refs.parse(data).map(({ ref }) => ref.slice(space.length + 1));
    }),
  );
  const runs = found.flat().flatMap((name) => {
    const id = runAt(name);
    return id === undefined ? [] : [id];
  });
  return [...new Set(runs)];
}
