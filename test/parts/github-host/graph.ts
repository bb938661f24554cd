import { ok, type Route, textOf } from "./ask.ts";
import type { Bare, GitObject } from "./bare.ts";
import type { Role } from "./extras.ts";
import type { PullSeen, Pulls } from "./pulls.ts";

/** Answers the two GraphQL queries that read runs: one run, or all. */
export function graphRoutes(bare: Bare, pulls: Pulls, roles: ReadonlyMap<string, Role>): Route {
  return ({ method, path, body }) => {
    const query = textOf(body["query"]);
    if (method !== "POST" || path !== "/graphql" || !/qualifiedName|refPrefix/.test(query)) return undefined;
    const variables = body["variables"] as Readonly<Record<string, unknown>>;
    const { pull: number, login } = variables;
    const pull = number === undefined ? undefined : pulls.seen.get(Number(number));
    const aliases = askedIn(bare, query, variables);
    const refs = [...aliases.own, ...aliases.others];
    const names = [textOf(variables["path"]), `refs/heads/${pull?.head}`, ...refs.flatMap(namesOf)];
    // In one process, because tests send these queries most often.
    const [file, head, ...objects] = bare.read(names);
    const shown = refs.map((ref, at) => ({ ref, ...refShown(objects.slice(at * 4, at * 4 + 4)) }));
    const repository = {
      ...aliases.answer(shown.slice(0, aliases.own.length), shown.slice(aliases.own.length)),
      file: file?.type === "blob" ? blobShown(file) : null,
      ...(number === undefined ? {} : { talk: pull === undefined ? null : pullShown(pull, head?.id) }),
      ...(login === undefined ? {} : { collaborators: { edges: edgesOf(roles, textOf(login)) } }),
    };
    return ok({ data: { repository } });
  };
}

interface RefShown {
  readonly ref: string;
  readonly target?: object | undefined;
}

/** The refs and branches that a query requests, and the format. */
function askedIn(bare: Bare, query: string, { own, branch, branches }: Readonly<Record<string, unknown>>) {
  const most = Number(/first: (\d+)\) \{ totalCount/.exec(query)?.[1] ?? 0);
  if (most === 0)
    return {
      own: [textOf(own)],
      others: [textOf(branch)],
      answer: (one: readonly RefShown[], other: readonly RefShown[]) => ({
        own: oneOf(one),
        branch: oneOf(other),
      }),
    };
  const below = (prefix: string) =>
    bare.git(["for-each-ref", "--format=%(refname)", prefix]).split("\n").filter(Boolean);
  return {
    own: below(textOf(own)),
    others: below(textOf(branches)),
    answer: (all: readonly RefShown[], others: readonly RefShown[]) => ({
      own: connection(all, most),
      branches: connection(others, most),
    }),
  };
}

const namesOf = (ref: string) => [`${ref}^{commit}`, `${ref}^{tree}`, `${ref}:state`, `${ref}:events`];

const oneOf = ([one]: readonly RefShown[]) => (one?.target === undefined ? null : { target: one.target });

/** GitHub splits a ref's name after its prefix. */
const connection = (all: readonly RefShown[], most: number) => ({
  totalCount: all.length,
  nodes: all.slice(0, most).map(({ ref, target }) => {
    const prefix = /^refs\/(heads\/)?/.exec(ref)?.[0] ?? "";
    return { prefix, name: ref.slice(prefix.length), target };
  }),
});

/** GitHub cuts the text of a blob after 512,000 bytes: https://github.com/sveltia/sveltia-cms/issues/950 */
const blobShown = ({ bytes }: GitObject) => ({
  text: bytes.subarray(0, 512_000).toString(),
  isTruncated: bytes.length > 512_000,
});

function refShown([commit, tree, ...files]: readonly (GitObject | undefined)[]) {
  if (commit === undefined || tree === undefined) return { target: undefined };
  const [state, events] = files.map((file) => (file === undefined ? null : { object: blobShown(file) }));
  return { target: { oid: commit.id, tree: { oid: tree.id }, state, events } };
}

function pullShown({ author }: PullSeen, headRefOid: string | undefined) {
  const isBot = author.endsWith("[bot]");
  const login = author.replace(/\[bot\]$/, "");
  return { headRefOid, author: { login, __typename: isBot ? "Bot" : "User" } };
}

/** A person without permissions is no collaborator. */
function edgesOf(roles: ReadonlyMap<string, Role>, login: string) {
  const role = roles.get(login);
  if (role === undefined || role === "none" || login.endsWith("[bot]")) return [];
  return [{ permission: role.toUpperCase(), node: { login } }];
}
