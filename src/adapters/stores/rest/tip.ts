import { z } from "zod";
import { BrokenLogError } from "../../../ports/store.ts";
import { type Api, askIfThere, type Repository } from "../../github/api.ts";
import { type Head, readHead } from "../git/chain.ts";
import { type Space, spaces } from "../git/record.ts";
import { placeOf } from "../run-id.ts";

/** The last commit of a run's chain: all that is read of it. */
export interface Tip {
  readonly run: string;
  readonly space: Space;
  readonly commit: string;
  readonly tree: string;
  readonly head: Head;
  /** Its file `state`, with what other parts of the program keep in it. */
  readonly state: Readonly<Record<string, unknown>>;
  /** The lines it added. */
  readonly lines: readonly string[];
}

export interface Place extends Repository {
  readonly api: Api;
}

/** What is asked for at once, besides a run's tip. */
export interface Beside {
  /** A pull request whose head is wanted. */
  readonly pull?: number | undefined;
  /** A file of the default branch whose text is wanted. */
  readonly file?: string | undefined;
}

/** A run's tip, and what lies beside it. */
export interface Look {
  readonly tip: Tip | undefined;
  /** The head of the pull request. */
  readonly head: string | undefined;
  /** The file, where the host told of it in the same breath; empty where there is none. */
  readonly text: string | undefined;
}

/**
 * Reads a run's tip and the head of a pull request: in one call where the host speaks GraphQL, else in several. Throws
 * `BrokenLogError` for a tip that is none.
 */
export async function look(place: Place, run: string, beside: Beside): Promise<Look> {
  return (await lookAtOnce(place, run, beside)) ?? (await lookInTurn(place, run, beside.pull));
}

/** The commit a run's ref names now; `undefined` where there is no such ref. */
export async function readRef(place: Place, space: Space, run: string): Promise<string | undefined> {
  const { api, owner, repo } = place;
  const ref = `${space.slice("refs/".length)}/${placeOf(run)}/state`;
  const found = refSchema.optional().parse(await askIfThere(api, route("ref", ref), { owner, repo }));
  return found?.object.sha;
}

const route = (what: string, name: string) => `GET /repos/{owner}/{repo}/git/${what}/${name}`;

const refSchema = z.object({ object: z.object({ sha: z.string() }) });
const commitSchema = z.object({ tree: z.object({ sha: z.string() }) });
const treeSchema = z.object({ tree: z.array(z.object({ path: z.string(), sha: z.string() })) });
const blobSchema = z.object({ content: z.string(), encoding: z.literal("base64") });
const pullSchema = z.object({ head: z.object({ sha: z.string() }) });

async function lookInTurn(place: Place, run: string, pull: number | undefined): Promise<Look> {
  const head = pull === undefined ? undefined : headOf(place, pull);
  // Whatever becomes of the rest, this one is not left alone.
  head?.catch(() => undefined);
  for (const space of spaces) {
    const commit = await readRef(place, space, run);
    if (commit === undefined) continue;
    return { tip: await readTip(place, { run, space, commit }), head: await head, text: undefined };
  }
  return { tip: undefined, head: await head, text: undefined };
}

interface Named {
  readonly run: string;
  readonly space: Space;
  readonly commit: string;
}

async function readTip({ api, owner, repo }: Place, { run, space, commit }: Named): Promise<Tip> {
  const ask = async (what: string, name: string) =>
    (await api.request(route(what, name), { owner, repo })).data;
  const tree = commitSchema.parse(await ask("commits", commit)).tree.sha;
  const entries = treeSchema.parse(await ask("trees", tree)).tree;
  const text = async (path: string) => {
    const entry = entries.find((one) => one.path === path);
    if (entry === undefined) return undefined;
    return Buffer.from(blobSchema.parse(await ask("blobs", entry.sha)).content, "base64").toString("utf8");
  };
  const [state, events] = await Promise.all([text("state"), text("events")]);
  return tipOf({ run, space, commit, tree, state, events });
}

async function headOf({ api, owner, repo }: Place, pull: number): Promise<string | undefined> {
  const found = await askIfThere(api, "GET /repos/{owner}/{repo}/pulls/{pull}", { owner, repo, pull });
  return pullSchema.optional().parse(found)?.head.sha;
}

interface Read extends Named {
  readonly tree: string;
  readonly state: string | null | undefined;
  readonly events: string | null | undefined;
}

function tipOf({ run, space, commit, tree, state, events }: Read): Tip {
  const head = readHead(Buffer.from(state ?? ""));
  if (head === undefined || head.run !== run)
    throw new BrokenLogError(
      `the record of run ${run} is damaged at commit ${commit}: it is not that of the run`,
    );
  const lines = (events ?? "").split("\n").filter((line) => line !== "");
  return { run, space, commit, tree, head, lines, state: JSON.parse(state ?? "{}") };
}

const blob = z.object({ text: z.string().nullish() }).nullish();
const file = z.object({ object: blob }).nullish();
const target = z
  .object({
    target: z.object({ oid: z.string(), tree: z.object({ oid: z.string() }), state: file, events: file }),
  })
  .nullish();
const answer = z.object({
  data: z.object({
    repository: z.object({
      own: target,
      branch: target,
      pullRequest: z.object({ headRefOid: z.string() }).nullish(),
      beside: blob,
    }),
  }),
});

async function lookAtOnce(
  place: Place,
  run: string,
  { pull, file: path }: Beside,
): Promise<Look | undefined> {
  const { api, owner, repo } = place;
  const [own, branch] = spaces.map((space) => `${space}/${placeOf(run)}/state`);
  const variables = {
    owner,
    repo,
    own,
    branch,
    ...(pull === undefined ? {} : { pull }),
    path: `HEAD:${path ?? ""}`,
  };
  const read = await api
    .request("POST /graphql", { query: queryFor(pull !== undefined), variables })
    .then(({ data }) => answer.safeParse(data).data?.data.repository)
    .catch(() => undefined);
  if (read === undefined) return undefined;
  const at = read.own === undefined || read.own === null ? 1 : 0;
  const found = [read.own, read.branch][at]?.target;
  const beside = { head: read.pullRequest?.headRefOid, text: textOf(path, read.beside) };
  if (found === undefined) return { tip: undefined, ...beside };
  const { text: events } = found.events?.object ?? {};
  // A file too long for this way to read it comes the other way.
  if (typeof events !== "string") return undefined;
  const state = found.state?.object?.text;
  const named = { run, space: spaces[at] ?? spaces[0], commit: found.oid };
  return { tip: tipOf({ ...named, tree: found.tree.oid, state, events }), ...beside };
}

function textOf(path: string | undefined, read: z.infer<typeof blob>): string | undefined {
  if (path === undefined) return undefined;
  return read === null || read === undefined ? "" : (read.text ?? undefined);
}

const queryFor = (withPull: boolean) => `
query ($owner: String!, $repo: String!, $own: String!, $branch: String!, $path: String!${withPull ? ", $pull: Int!" : ""}) {
  repository(owner: $owner, name: $repo) {
    own: ref(qualifiedName: $own) { ...tip }
    branch: ref(qualifiedName: $branch) { ...tip }
    beside: object(expression: $path) { ... on Blob { text } }
    ${withPull ? "pullRequest(number: $pull) { headRefOid }" : ""}
  }
}
fragment tip on Ref {
  target {
    ... on Commit {
      oid
      tree { oid }
      state: file(path: "state") { object { ... on Blob { text } } }
      events: file(path: "events") { object { ... on Blob { text } } }
    }
  }
}`;
