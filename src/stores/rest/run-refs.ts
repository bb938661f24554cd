import { z } from "zod";
import { statusOf } from "../../github/api.ts";
import { type Space, spaces } from "../git/run-refs.ts";
import { placeOf, runAt } from "../run-id.ts";
import { readRef } from "./read-by-rest.ts";
import { blob } from "./related-queries.ts";
import { type RefLocation, type Tip, tipOf } from "./tip.ts";

/** A ref of a run; `ref` is its full name. */
interface RunRef {
  readonly ref: string;
  readonly commit: string;
  readonly space: Space;
  /** The name without the common prefix of all runs. */
  readonly name: string;
}

const refs = z.array(z.object({ ref: z.string(), object: z.object({ sha: z.string() }) }));

/** All refs of all runs. */
export async function listRefs({ api, owner, repo }: RefLocation): Promise<readonly RunRef[]> {
  const tips = await Promise.all(
    spaces.map(async (space) => {
      const prefix = `${space.slice("refs/".length)}/`;
      const { data } = await api.request(`GET /repos/{owner}/{repo}/git/matching-refs/${prefix}`, {
        owner,
        repo,
      });
      return refs
        .parse(data)
        .map(({ ref, object }) => ({ ref, commit: object.sha, space, name: ref.slice(space.length + 1) }));
    }),
  );
  return tips.flat();
}

/** The ids of the runs that the refs belong to. */
export const runsIn = (listed: readonly RunRef[]): readonly string[] => [
  ...new Set(listed.flatMap(({ name }) => runAt(name) ?? [])),
];

/** The number of commits, or refs, in one query. */
const mostAtOnce = 50;

/**
 * The tips of the runs without their lines, in batches. Skips those that the host does not return this way, and damaged
 * ones.
 */
export async function readTips(
  location: RefLocation,
  listed: readonly RunRef[],
): Promise<ReadonlyMap<string, Tip>> {
  const tips = new Map<string, Tip>();
  const states = listed.flatMap((one) => {
    const run = runAt(one.name);
    return run === undefined ? [] : [{ ...one, run }];
  });
  // If a run is in both spaces, the first one counts.
  const own = new Map(states.toReversed().map((one) => [one.run, one]));
  const all = [...own.values()].toReversed();
  for (let at = 0; at < all.length; at += mostAtOnce) {
    const some = all.slice(at, at + mostAtOnce);
    const texts = await readStates(
      location,
      some.map(({ commit }) => commit),
    );
    for (const [index, { run, space, commit }] of some.entries()) {
      const state = texts[index];
      if (state === undefined) continue;
      try {
        tips.set(run, tipOf({ run, space, commit, state, events: undefined }, location.key));
      } catch {
        // Reading this run alone reports the error.
      }
    }
  }
  return tips;
}

const states = z.object({
  repository: z.record(z.string(), z.object({ state: z.object({ object: blob }).nullish() }).nullish()),
});

/** The file `state` of each commit. */
async function readStates(
  { api, owner, repo, host }: RefLocation,
  commits: readonly string[],
): Promise<readonly (string | undefined)[]> {
  if (host?.hasGraph === false) return [];
  const names = commits.map((_, at) => `c${at}`);
  const query = `
query ($owner: String!, $repo: String!, ${names.map((name) => `$${name}: GitObjectID!`).join(", ")}) {
  repository(owner: $owner, name: $repo) {
    ${names.map((name) => `${name}: object(oid: $${name}) { ...state }`).join("\n    ")}
  }
}
fragment state on Commit { state: file(path: "state") { object { ... on Blob { text isTruncated } } } }`;
  const variables = Object.fromEntries(commits.map((commit, at) => [`c${at}`, commit]));
  const answer = await api
    .graphql(query, { owner, repo, ...variables })
    .catch((error: unknown) => (error as { readonly data?: unknown }).data);
  const read = states.safeParse(answer).data?.repository;
  return names.map((name) => read?.[name]?.state?.object?.text ?? undefined);
}

/** The record is removed last, so that a retry knows what remains. */
const kinds = ["attempt", "work", "state"] as const;

export interface Removal {
  /** The largest number of requests to send. */
  readonly mostRequests: number;
  /** Called for each run that is gone. */
  gone(run: string): void;
}

/** Removes runs with all their refs. Keeps a run whose record has changed since its tip was read. */
export async function removeRuns(
  location: RefLocation,
  tips: readonly Tip[],
  { mostRequests, gone }: Removal,
): Promise<void> {
  if (tips.length === 0) return;
  const listed = Map.groupBy(await listRefs(location), ({ name }) => name);
  const refsOf = ({ run }: Tip) => kinds.flatMap((kind) => listed.get(`${placeOf(run)}/${kind}`) ?? []);
  const runs = tips
    .map((tip) => ({ tip, refs: refsOf(tip) }))
    .filter(({ tip, refs }) => refs.some(({ ref, commit }) => ref === stateOf(tip) && commit === tip.commit));
  const remove = await batchRemover(location);
  const budget = { left: mostRequests };
  for (let at = 0; at < runs.length && budget.left > 0; at += mostAtOnce) {
    const some = runs.slice(at, at + mostAtOnce);
    budget.left -= 1;
    if (await remove(some.flatMap(({ refs }) => refs))) for (const { tip } of some) gone(tip.run);
    // One by one, to find out which of them the host refuses.
    else await removeEach(location, some, { budget, gone });
  }
}

interface RemovableRun {
  readonly tip: Tip;
  readonly refs: readonly RunRef[];
}

interface Slowly extends Pick<Removal, "gone"> {
  readonly budget: { left: number };
}

async function removeEach(
  location: RefLocation,
  runs: readonly RemovableRun[],
  { budget, gone }: Slowly,
): Promise<void> {
  for (const { tip, refs } of runs) {
    budget.left -= 1 + refs.length;
    if (budget.left < 0) return;
    if (await removeOne(location, tip, refs)) gone(tip.run);
  }
}

const stateOf = ({ run, space }: Tip) => `${space}/${placeOf(run)}/state`;

const repositoryQuery = z.object({ repository: z.object({ id: z.string() }) });
const nothing = "0".repeat(40);

/** Returns a function that removes refs in one request, all or none; it returns whether the host did. */
async function batchRemover({ api, owner, repo, host }: RefLocation) {
  const query = "query ($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) { id } }";
  const answer =
    host?.hasGraph === false ? undefined : await api.graphql(query, { owner, repo }).catch(() => undefined);
  const repositoryId = repositoryQuery.safeParse(answer).data?.repository.id;
  return async (all: readonly RunRef[]): Promise<boolean> => {
    if (repositoryId === undefined) return false;
    const mutation = "mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }";
    const refUpdates = all.map(({ ref, commit }) => ({ name: ref, beforeOid: commit, afterOid: nothing }));
    return await api.graphql(mutation, { input: { repositoryId, refUpdates } }).then(
      () => true,
      () => false,
    );
  };
}

/** Removes one run; returns whether it is gone. */
async function removeOne(location: RefLocation, tip: Tip, all: readonly RunRef[]): Promise<boolean> {
  const { api, owner, repo } = location;
  const now = await readRef(location, tip.space, tip.run);
  if (now !== undefined && now !== tip.commit) return false;
  for (const { ref } of all) {
    try {
      const name = ref.slice("refs/".length);
      await api.request(`DELETE /repos/{owner}/{repo}/git/refs/${name}`, { owner, repo });
    } catch (error) {
      // GitHub answers 422 for a ref that does not exist.
      if (![404, 422].includes(statusOf(error) ?? 0)) throw error;
    }
  }
  return true;
}
