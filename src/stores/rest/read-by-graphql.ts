import { z } from "zod";
import { statusOf } from "../../github/api.ts";
import { spaces } from "../git/run-refs.ts";
import type { StateKey } from "../git/sign.ts";
import { placeOf, runAt } from "../run-id.ts";
import { blob, parseRelated, queryRelated, relatedSchema } from "./related-queries.ts";
import {
  type Named,
  type RefLocation,
  type RelatedQuery,
  type RunListing,
  type RunLookup,
  type Tip,
  tipOf,
} from "./tip.ts";

const file = z.object({ object: blob }).nullish();
const shown = z.object({
  target: z.object({ oid: z.string(), state: file, events: file }),
});
const looked = z.object({
  repository: relatedSchema.extend({ own: shown.nullish(), branch: shown.nullish() }),
});

/** Reads everything in one query; `undefined` if the host cannot answer it or the answer is too long. */
export async function readByGraphql(
  location: RefLocation,
  run: string,
  related: RelatedQuery,
): Promise<RunLookup | undefined> {
  const { owner, repo } = location;
  const [own, branch] = spaces.map((space) => `${space}/${placeOf(run)}/state`);
  const parts = queryRelated(related);
  const query = `
query ($owner: String!, $repo: String!, $own: String!, $branch: String!, ${parts.declared}) {
  repository(owner: $owner, name: $repo) {
    own: ref(qualifiedName: $own) { ...tip }
    branch: ref(qualifiedName: $branch) { ...tip }
    ${parts.fields}
  }
}${tipFragment}`;
  const response = await ask(location, query, { owner, repo, own, branch, ...parts.variables });
  const read = looked.safeParse(response).data?.repository;
  if (read === undefined) return undefined;
  const at = read.own === undefined || read.own === null ? 1 : 0;
  const value = [read.own, read.branch][at];
  const facts = parseRelated(read, related);
  if (value === undefined || value === null) return { tip: undefined, ...facts };
  const tip = tipIn(value, { run, space: spaces[at] ?? spaces[0] }, location.key);
  // A file that is too long for GraphQL is read by REST.
  return tip === undefined ? undefined : { tip, ...facts };
}

/** The host's answer to a query; `undefined` if there is none. */
async function ask(
  { api, host }: RefLocation,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (host?.hasGraph === false) return undefined;
  try {
    return await api.graphql(query, variables);
  } catch (error) {
    if (host !== undefined && statusOf(error) === 404) host.hasGraph = false;
    // A host omits what it may not show, and reports an error in addition to the data.
    return (error as { readonly data?: unknown }).data;
  }
}

const refs = z.object({
  totalCount: z.number(),
  nodes: z.array(
    z.object({
      prefix: z.string(),
      name: z.string(),
      target: shown.shape.target.optional().catch(undefined),
    }),
  ),
});
const listed = z.object({ repository: relatedSchema.extend({ own: refs, branches: refs }) });

/** Refs per answer. A run has two, and hosts limit the number of files in one query. */
const mostRefs = 100;

/**
 * The tips of all runs in one query; `undefined` if the host cannot answer it or there are too many runs. Skips runs
 * with a damaged tip.
 */
export async function listByGraphql(
  location: RefLocation,
  related: RelatedQuery,
): Promise<RunListing | undefined> {
  const { owner, repo } = location;
  const [own, branches] = spaces.map((space) => `${space}/`);
  const parts = queryRelated(related);
  const query = `
query ($owner: String!, $repo: String!, $own: String!, $branches: String!, ${parts.declared}) {
  repository(owner: $owner, name: $repo) {
    own: refs(refPrefix: $own, first: ${mostRefs}) { totalCount nodes { prefix name ...tip } }
    branches: refs(refPrefix: $branches, first: ${mostRefs}) { totalCount nodes { prefix name ...tip } }
    ${parts.fields}
  }
}${tipFragment}`;
  const response = await ask(location, query, { owner, repo, own, branches, ...parts.variables });
  const read = listed.safeParse(response).data?.repository;
  if (read === undefined) return undefined;
  const isWhole = [read.own, read.branches].every(({ totalCount, nodes }) => totalCount <= nodes.length);
  const tips = isWhole ? tipsIn([read.own.nodes, read.branches.nodes], location.key) : undefined;
  // Some hosts list only branches and tags this way, so an empty answer proves nothing.
  return tips === undefined || tips.length === 0 ? undefined : { tips, ...parseRelated(read, related) };
}

/** `undefined` if a tip must be read another way. */
function tipsIn(
  lists: readonly z.infer<typeof refs>["nodes"][],
  key: StateKey | undefined,
): readonly Tip[] | undefined {
  const tips = new Map<string, Tip>();
  for (const [at, nodes] of lists.entries())
    for (const { prefix, name, target } of nodes) {
      const run = runAt(`${prefix}${name}`.replace(/^(refs\/)?(heads\/)?until-green\//, ""));
      if (run === undefined || tips.has(run)) continue;
      const tip = target && checkedTip({ target }, { run, space: spaces[at] ?? spaces[0] }, key);
      if (tip === undefined) return undefined;
      if (tip !== "damaged") tips.set(run, tip);
    }
  return [...tips.values()];
}

function checkedTip(
  read: z.infer<typeof shown>,
  of: Pick<Named, "run" | "space">,
  key: StateKey | undefined,
): Tip | "damaged" | undefined {
  try {
    return tipIn(read, of, key);
  } catch {
    return "damaged";
  }
}

/** `undefined` if a file is too long for GraphQL. */
function tipIn(
  { target }: z.infer<typeof shown>,
  of: Pick<Named, "run" | "space">,
  key: StateKey | undefined,
): Tip | undefined {
  const { text: events } = target.events?.object ?? {};
  const state = target.state?.object?.text;
  if (typeof events !== "string" || state === null) return undefined;
  return tipOf({ ...of, commit: target.oid, state, events }, key);
}

const tipFragment = `
fragment tip on Ref {
  target {
    ... on Commit {
      oid
      state: file(path: "state") { object { ... on Blob { text isTruncated } } }
      events: file(path: "events") { object { ... on Blob { text isTruncated } } }
    }
  }
}`;
