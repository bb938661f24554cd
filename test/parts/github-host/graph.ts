import { ok, type Route, textOf } from "./ask.ts";
import type { Bare } from "./bare.ts";
import type { Role } from "./extras.ts";
import type { Pulls } from "./pulls.ts";

/** What the one question of GraphQL is answered with that reads a run and what lies beside it. */
export function graphRoutes(bare: Bare, pulls: Pulls, roles: ReadonlyMap<string, Role>): Route {
  return ({ method, path, body }) => {
    if (method !== "POST" || path !== "/graphql" || !textOf(body["query"]).includes("qualifiedName"))
      return undefined;
    const variables = body["variables"] as Readonly<Record<string, unknown>>;
    const [own, branch] = [variables["own"], variables["branch"]].map((ref) => refShown(bare, textOf(ref)));
    const [file] = bare.read([textOf(variables["path"])]);
    const repository = {
      own,
      branch,
      beside: file?.type === "blob" ? { text: file.bytes.toString() } : null,
      ...(variables["pull"] === undefined
        ? {}
        : { pullRequest: pullShown(bare, pulls, Number(variables["pull"])) }),
      ...(variables["login"] === undefined
        ? {}
        : { collaborators: { edges: edgesOf(roles, textOf(variables["login"])) } }),
    };
    return ok({ data: { repository } });
  };
}

function refShown(bare: Bare, ref: string) {
  const [commit, tree, ...files] = bare.read([
    `${ref}^{commit}`,
    `${ref}^{tree}`,
    `${ref}:state`,
    `${ref}:events`,
  ]);
  if (commit === undefined || tree === undefined) return null;
  const [state, events] = files.map((file) =>
    file === undefined ? null : { object: { text: file.bytes.toString() } },
  );
  return { target: { oid: commit.id, tree: { oid: tree.id }, state, events } };
}

function pullShown(bare: Bare, { seen }: Pulls, number: number) {
  const pull = seen.get(number);
  if (pull === undefined) return null;
  const isBot = pull.author.endsWith("[bot]");
  return {
    headRefOid: bare.commit(`refs/heads/${pull.head}`),
    author: { login: pull.author.replace(/\[bot\]$/, ""), __typename: isBot ? "Bot" : "User" },
  };
}

/** Who may nothing is no collaborator. */
function edgesOf(roles: ReadonlyMap<string, Role>, login: string) {
  const role = roles.get(login);
  if (role === undefined || role === "none" || login.endsWith("[bot]")) return [];
  return [{ permission: role.toUpperCase(), node: { login } }];
}
