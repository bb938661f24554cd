import { z } from "zod";
import { type Role, roles } from "../../github/permission.ts";
import { spaces } from "../git/record.ts";
import { placeOf } from "../run-id.ts";
import { type Beside, type Look, type Place, tipOf } from "./tip.ts";

const blob = z.object({ text: z.string().nullish() }).nullish();
const file = z.object({ object: blob }).nullish();
const target = z
  .object({
    target: z.object({ oid: z.string(), tree: z.object({ oid: z.string() }), state: file, events: file }),
  })
  .nullish();
const author = z.object({ login: z.string(), __typename: z.string() }).nullish();
const collaborators = z
  .object({
    edges: z
      .array(z.object({ permission: z.string(), node: z.object({ login: z.string() }) }).nullable())
      .nullish(),
  })
  .nullish();
const answer = z.object({
  data: z.object({
    repository: z.object({
      own: target,
      branch: target,
      pullRequest: z.object({ headRefOid: z.string(), author }).nullish(),
      beside: blob,
      collaborators,
    }),
  }),
});

/** Asks for all of it in one question; `undefined` where the host has no answer to it, or too long a one. */
export async function lookAtOnce(place: Place, run: string, beside: Beside): Promise<Look | undefined> {
  const { api, owner, repo } = place;
  const { pull, file: path, login } = beside;
  const [own, branch] = spaces.map((space) => `${space}/${placeOf(run)}/state`);
  const variables = { owner, repo, own, branch, pull, login, path: `HEAD:${path ?? ""}` };
  const read = await api
    .request("POST /graphql", { query: queryFor(beside), variables })
    .then(({ data }) => answer.safeParse(data).data?.data.repository)
    .catch(() => undefined);
  if (read === undefined) return undefined;
  const at = read.own === undefined || read.own === null ? 1 : 0;
  const found = [read.own, read.branch][at]?.target;
  const around = {
    head: read.pullRequest?.headRefOid,
    author: loginOf(read.pullRequest?.author),
    text: path === undefined ? undefined : textOf(read.beside),
    role: login === undefined ? undefined : roleIn(read.collaborators, login),
  };
  if (found === undefined) return { tip: undefined, ...around };
  const { text: events } = found.events?.object ?? {};
  // A file too long for this way to read it comes the other way.
  if (typeof events !== "string") return undefined;
  const state = found.state?.object?.text;
  const named = { run, space: spaces[at] ?? spaces[0], commit: found.oid };
  return { tip: tipOf({ ...named, tree: found.tree.oid, state, events }), ...around };
}

const textOf = (read: z.infer<typeof blob>) =>
  read === null || read === undefined ? "" : (read.text ?? undefined);

/** Elsewhere the login of a program ends so, and here it does not. */
const loginOf = (one: z.infer<typeof author>) =>
  one?.__typename === "Bot" && !one.login.endsWith("[bot]") ? `${one.login}[bot]` : one?.login;

/** Only of that very person; whoever is not told of here is asked for by their own route. */
function roleIn(told: z.infer<typeof collaborators>, login: string): Role | undefined {
  const edge = told?.edges?.find((one) => one?.node.login.toLowerCase() === login.toLowerCase());
  return roles.find((role) => role === edge?.permission.toLowerCase());
}

const queryFor = ({ pull, login }: Beside) => `
query ($owner: String!, $repo: String!, $own: String!, $branch: String!, $path: String!${pull === undefined ? "" : ", $pull: Int!"}${login === undefined ? "" : ", $login: String!"}) {
  repository(owner: $owner, name: $repo) {
    own: ref(qualifiedName: $own) { ...tip }
    branch: ref(qualifiedName: $branch) { ...tip }
    beside: object(expression: $path) { ... on Blob { text } }
    ${pull === undefined ? "" : "pullRequest(number: $pull) { headRefOid author { login __typename } }"}
    ${login === undefined ? "" : "collaborators(login: $login, first: 1) { edges { permission node { login } } }"}
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
