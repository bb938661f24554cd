import { z } from "zod";
import { statusOf } from "../../github/api.ts";
import { spaces } from "../git/record.ts";
import { placeOf, runAt } from "../run-id.ts";
import { aroundSchema, askAround, blob, readAround } from "./around.ts";
import { type Beside, type Look, type Named, type Place, type Survey, type Tip, tipOf } from "./tip.ts";

const file = z.object({ object: blob }).nullish();
const shown = z.object({
  target: z.object({ oid: z.string(), state: file, events: file }),
});
const looked = z.object({
  data: z.object({ repository: aroundSchema.extend({ own: shown.nullish(), branch: shown.nullish() }) }),
});

/** Asks for all of it in one question; `undefined` where the host has no answer to it, or too long a one. */
export async function lookAtOnce(place: Place, run: string, beside: Beside): Promise<Look | undefined> {
  const { owner, repo } = place;
  const [own, branch] = spaces.map((space) => `${space}/${placeOf(run)}/state`);
  const around = askAround(beside);
  const query = `
query ($owner: String!, $repo: String!, $own: String!, $branch: String!, ${around.declared}) {
  repository(owner: $owner, name: $repo) {
    own: ref(qualifiedName: $own) { ...tip }
    branch: ref(qualifiedName: $branch) { ...tip }
    ${around.fields}
  }
}${tipFragment}`;
  const told = await ask(place, query, { owner, repo, own, branch, ...around.variables });
  const read = looked.safeParse(told).data?.data.repository;
  if (read === undefined) return undefined;
  const at = read.own === undefined || read.own === null ? 1 : 0;
  const found = [read.own, read.branch][at];
  const beyond = readAround(read, beside);
  if (found === undefined || found === null) return { tip: undefined, ...beyond };
  const tip = tipIn(found, { run, space: spaces[at] ?? spaces[0] });
  // A file too long for this way to read it comes the other way.
  return tip === undefined ? undefined : { tip, ...beyond };
}

/** What the host says to a question; `undefined` where it says nothing. */
async function ask({ api, host }: Place, query: string, variables: object): Promise<unknown> {
  if (host?.hasGraph === false) return undefined;
  try {
    return (await api.request("POST /graphql", { query, variables })).data;
  } catch (error) {
    if (host !== undefined && statusOf(error) === 404) host.hasGraph = false;
    return undefined;
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
const listed = z.object({
  data: z.object({ repository: aroundSchema.extend({ own: refs, branches: refs }) }),
});

/** How many refs of a kind are told of in one answer: a run has two, and no host reads any number of files for it. */
const mostRefs = 100;

/**
 * Asks for the tips of all runs there are, in one question; `undefined` where the host has no answer to it, or there are
 * too many runs for one. A run whose tip is damaged is left out.
 */
export async function surveyAtOnce(place: Place, beside: Beside): Promise<Survey | undefined> {
  const { owner, repo } = place;
  const [own, branches] = spaces.map((space) => `${space}/`);
  const around = askAround(beside);
  const query = `
query ($owner: String!, $repo: String!, $own: String!, $branches: String!, ${around.declared}) {
  repository(owner: $owner, name: $repo) {
    own: refs(refPrefix: $own, first: ${mostRefs}) { totalCount nodes { prefix name ...tip } }
    branches: refs(refPrefix: $branches, first: ${mostRefs}) { totalCount nodes { prefix name ...tip } }
    ${around.fields}
  }
}${tipFragment}`;
  const told = await ask(place, query, { owner, repo, own, branches, ...around.variables });
  const read = listed.safeParse(told).data?.data.repository;
  if (read === undefined) return undefined;
  const isWhole = [read.own, read.branches].every(({ totalCount, nodes }) => totalCount <= nodes.length);
  const tips = isWhole ? tipsIn([read.own.nodes, read.branches.nodes]) : undefined;
  // A host may list nothing but branches and tags this way: that it tells of no run says nothing.
  return tips === undefined || tips.length === 0 ? undefined : { tips, ...readAround(read, beside) };
}

/** `undefined` where one of them must be read another way. */
function tipsIn(lists: readonly z.infer<typeof refs>["nodes"][]): readonly Tip[] | undefined {
  const tips = new Map<string, Tip>();
  for (const [at, nodes] of lists.entries())
    for (const { prefix, name, target } of nodes) {
      const run = runAt(`${prefix}${name}`.replace(/^(refs\/)?(heads\/)?until-green\//, ""));
      if (run === undefined || tips.has(run)) continue;
      const tip = target && soundTip({ target }, { run, space: spaces[at] ?? spaces[0] });
      if (tip === undefined) return undefined;
      if (tip !== "damaged") tips.set(run, tip);
    }
  return [...tips.values()];
}

function soundTip(
  read: z.infer<typeof shown>,
  of: Pick<Named, "run" | "space">,
): Tip | "damaged" | undefined {
  try {
    return tipIn(read, of);
  } catch {
    return "damaged";
  }
}

/** `undefined` where a file is too long for this way to read it. */
function tipIn({ target }: z.infer<typeof shown>, of: Pick<Named, "run" | "space">): Tip | undefined {
  const { text: events } = target.events?.object ?? {};
  if (typeof events !== "string") return undefined;
  const state = target.state?.object?.text;
  return tipOf({ ...of, commit: target.oid, state, events });
}

const tipFragment = `
fragment tip on Ref {
  target {
    ... on Commit {
      oid
      state: file(path: "state") { object { ... on Blob { text } } }
      events: file(path: "events") { object { ... on Blob { text } } }
    }
  }
}`;
