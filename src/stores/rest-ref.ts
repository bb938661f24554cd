import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { statusOf } from "../github/api.ts";
import { assertWhole, BrokenLogError } from "../ports/store.ts";
import { digestOf } from "./git/commit-log.ts";
import { protectEvents, protectState } from "./git/private-parts.ts";
import { learnFormerName, type StateKey, signatureFault } from "./git/sign.ts";
import { listByGraphql } from "./rest/read-by-graphql.ts";
import { readByRest, readRef } from "./rest/read-by-rest.ts";
import { listRefs, type Removal, readTips, removeRuns, runsIn } from "./rest/run-refs.ts";
import type { RefLocation, RelatedQuery, RunListing, RunLookup, Tip } from "./rest/tip.ts";
import { assertRunId, placeOf } from "./run-id.ts";

/**
 * The runs of a repository, read and appended to through the host's API only: without a checkout or git, and without
 * reading whole logs.
 */
export interface RestRefs {
  /** A run's tip and related facts, in as few calls as the host allows. */
  look(run: string, related?: RelatedQuery): Promise<RunLookup>;
  /** All runs and related facts, in one call; `undefined` if the host cannot answer or there are too many runs. */
  survey(related?: RelatedQuery): Promise<RunListing | undefined>;
  /**
   * Appends lines after a tip; returns the commit that records them, or `undefined` if another writer came first.
   * Decided by whether our own random commit is at the ref or below it, never by what the host reported.
   */
  append(tip: Tip, more: More): Promise<string | undefined>;
  /** The ids of all runs. */
  list(): Promise<readonly string[]>;
  /** The ids of all runs, and the tips, without lines, of those that the host can return in batches. */
  readAll(): Promise<{ readonly ids: readonly string[]; readonly tips: ReadonlyMap<string, Tip> }>;
  /** Removes the records and other refs of runs, in batches if the host can. */
  remove(tips: readonly Tip[], removal: Removal): Promise<void>;
}

export interface More {
  readonly lines: readonly string[];
  /** The writer, as text for people. */
  readonly owner: string;
  /** The current time, in ISO 8601. */
  readonly at: string;
  /** More fields to set in the file `state`. */
  readonly state?: Readonly<Record<string, unknown>>;
}

export interface RestOptions extends Omit<RefLocation, "key"> {
  /** The state key, if the chain is signed. */
  readonly key?: string | undefined;
  /** Asks the host whether the repository had a path before it was renamed. */
  wasCalled?(path: string): Promise<boolean>;
  /** How long to retry while the host's reads are inconsistent, in milliseconds. */
  readonly patienceMs?: number;
}

/** Opens a repository's runs at a host. */
export function restRefs({ key: secret, wasCalled, ...location }: RestOptions): RestRefs {
  const repository = `${location.owner}/${location.repo}`.toLowerCase();
  const key = {
    secret: secret ?? "",
    repository,
    formerly: new Set<string>(),
    ...(wasCalled && { wasCalled }),
  };
  const options: RestLocation = { ...location, ...(secret && { key }) };
  return {
    async look(run, related = {}) {
      assertRunId(run);
      return await readByRest(options, run, related);
    },
    survey: (related = {}) => listByGraphql(options, related),
    append: (tip, more) => append(options, tip, more),
    list: async () => runsIn(await listRefs(options)),
    async readAll() {
      const listed = await listRefs(options);
      return { ids: runsIn(listed), tips: await readTips(options, listed) };
    },
    remove: (tips, removal) => removeRuns(options, tips, removal),
  };
}

interface RestLocation extends RefLocation, Pick<RestOptions, "patienceMs"> {}

async function append(options: RestLocation, tip: Tip, more: More): Promise<string | undefined> {
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
    if (fault === undefined) return commit;
    // Reads lag behind: until the ref shows another commit, our update may still succeed.
    const now = await readRef(options, tip.space, tip.run);
    if (now === commit) return commit;
    if (now !== tip.commit)
      return now !== undefined && (await isBelow(options, commit, now)) ? commit : undefined;
    if ([401, 403].includes(statusOf(fault) ?? 0) || performance.now() + pause > end) throw fault;
    await wait(pause * (0.8 + Math.random() * 0.4));
  }
}

async function whyUnsigned({ stored }: Tip, key: StateKey): Promise<string | undefined> {
  const fault = signatureFault(stored, key);
  const { signedFor } = fault ?? {};
  return signedFor !== undefined && (await learnFormerName(key, signedFor)) ? undefined : fault?.because;
}

const made = z.object({ sha: z.string() });

async function writeCommit(options: RestLocation, tip: Tip, { lines, owner: by, at, state }: More) {
  const { api, owner, repo, key } = options;
  assertWhole(lines);
  const nonce = randomBytes(16).toString("hex");
  const events = protectEvents(lines, tip.run, key);
  const { head } = tip;
  const { seal, ...before } = tip.state;
  const fault =
    key === undefined ? seal && "it is signed, and here is no state key" : await whyUnsigned(tip, key);
  if (fault)
    throw new BrokenLogError(
      `the record of run ${tip.run} cannot be continued: ${fault}. The app and its jobs need the same key`,
    );
  const next = {
    ...before,
    ...state,
    run: tip.run,
    seq: head.seq + 1,
    nonce,
    owner: by,
    lines: head.lines + lines.length,
    digest: digestOf(head.digest, events),
  };
  const file = { mode: "100644", type: "blob" } as const;
  // Keep the folders: the head names their trees.
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
        content: `${JSON.stringify(protectState(next, key), undefined, 2)}\n`,
      },
      { ...file, path: "events", content: events.toString("utf8") },
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

/** True if a commit is among the last ones below a tip: it won, and others were added on top. */
async function isBelow(options: RestLocation, commit: string, tip: string): Promise<boolean> {
  const { api, owner, repo } = options;
  let at: string | undefined = tip;
  for (let step = 0; step < mostSteps && at !== undefined; step++) {
    const { data } = await api.request(`GET /repos/{owner}/{repo}/git/commits/${at}`, { owner, repo });
    at = parents.parse(data).parents[0]?.sha;
    if (at === commit) return true;
  }
  return false;
}

/** Far more commits than a run gets while one update is uncertain. */
const mostSteps = 10;
