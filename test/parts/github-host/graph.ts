import { ok, type Route, textOf } from "./ask.ts";
import type { Bare, GitObject } from "./bare.ts";
import type { Role } from "./extras.ts";
import type { PullSeen, Pulls } from "./pulls.ts";

/** What the one question of GraphQL is answered with that reads a run and what lies beside it. */
export function graphRoutes(bare: Bare, pulls: Pulls, roles: ReadonlyMap<string, Role>): Route {
  return ({ method, path, body }) => {
    if (method !== "POST" || path !== "/graphql" || !textOf(body["query"]).includes("qualifiedName"))
      return undefined;
    const variables = body["variables"] as Readonly<Record<string, unknown>>;
    const { pull: number, login } = variables;
    const pull = number === undefined ? undefined : pulls.seen.get(Number(number));
    const refs = [variables["own"], variables["branch"]].map(textOf);
    const names = [textOf(variables["path"]), `refs/heads/${pull?.head}`, ...refs.flatMap(namesOf)];
    // All of it in one process: hosts of tests are asked this more often than anything else.
    const [file, head, ...tips] = bare.read(names);
    const repository = {
      own: refShown(tips.slice(0, 4)),
      branch: refShown(tips.slice(4)),
      beside: file?.type === "blob" ? { text: file.bytes.toString() } : null,
      ...(number === undefined ? {} : { pullRequest: pull === undefined ? null : pullShown(pull, head?.id) }),
      ...(login === undefined ? {} : { collaborators: { edges: edgesOf(roles, textOf(login)) } }),
    };
    return ok({ data: { repository } });
  };
}

const namesOf = (ref: string) => [`${ref}^{commit}`, `${ref}^{tree}`, `${ref}:state`, `${ref}:events`];

function refShown([commit, tree, ...files]: readonly (GitObject | undefined)[]) {
  if (commit === undefined || tree === undefined) return null;
  const [state, events] = files.map((file) =>
    file === undefined ? null : { object: { text: file.bytes.toString() } },
  );
  return { target: { oid: commit.id, tree: { oid: tree.id }, state, events } };
}

function pullShown({ author }: PullSeen, headRefOid: string | undefined) {
  const isBot = author.endsWith("[bot]");
  const login = author.replace(/\[bot\]$/, "");
  return { headRefOid, author: { login, __typename: isBot ? "Bot" : "User" } };
}

/** Who may nothing is no collaborator. */
function edgesOf(roles: ReadonlyMap<string, Role>, login: string) {
  const role = roles.get(login);
  if (role === undefined || role === "none" || login.endsWith("[bot]")) return [];
  return [{ permission: role.toUpperCase(), node: { login } }];
}
