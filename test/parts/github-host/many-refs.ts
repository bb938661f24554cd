import { ok, type Reply, type Route, textOf } from "./ask.ts";
import type { Bare } from "./bare.ts";
import type { RefGuard } from "./rulesets.ts";

interface RefUpdate {
  readonly name: string;
  readonly beforeOid?: string;
  readonly afterOid: string;
}

const repositoryId = "R_octocat-hello";

/**
 * Many commits, or many refs, in one question of GraphQL. Refs change all together or not at all:
 * https://docs.github.com/graphql/reference/git#updaterefs
 */
export function manyRefRoutes(bare: Bare, guard: RefGuard): Route {
  return ({ method, path, body, login }) => {
    const query = textOf(body["query"]);
    if (method !== "POST" || path !== "/graphql") return undefined;
    const variables = (body["variables"] ?? {}) as Readonly<Record<string, unknown>>;
    if (query.includes("updateRefs")) return updated(bare, guard, { login, input: variables["input"] });
    if (/\bobject\(oid:/.test(query)) return ok({ data: { repository: statesOf(bare, query, variables) } });
    return /\{ repository\(owner: \$owner, name: \$repo\) \{ id \} \}/.test(query)
      ? ok({ data: { repository: { id: repositoryId } } })
      : undefined;
  };
}

function statesOf(bare: Bare, query: string, variables: Readonly<Record<string, unknown>>) {
  const aliases = [...query.matchAll(/(\w+): object\(oid: \$(\w+)\)/g)];
  const objects = bare.read(aliases.map(([, , name = ""]) => `${textOf(variables[name])}:state`));
  return Object.fromEntries(
    aliases.map(([, alias = ""], at) => [
      alias,
      { state: { object: { text: objects[at]?.bytes.toString() } } },
    ]),
  );
}

interface Updating {
  readonly login: string | undefined;
  readonly input: unknown;
}

function updated(bare: Bare, guard: RefGuard, { login, input }: Updating): Reply {
  const { repositoryId: id, refUpdates } = input as {
    readonly repositoryId: string;
    readonly refUpdates: readonly RefUpdate[];
  };
  const refuse = (type: string, message: string) =>
    ok({ data: { updateRefs: null }, errors: [{ type, path: ["updateRefs"], message }] });
  if (id !== repositoryId)
    return refuse("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
  for (const { name, afterOid } of refUpdates) {
    const next = /^0+$/.test(afterOid) ? undefined : afterOid;
    const refused = guard({ ref: name, next, login });
    if (refused !== undefined)
      return refuse("UNPROCESSABLE", (refused.body as { readonly message: string }).message);
  }
  // Git takes a list of commands as one transaction.
  const lines = refUpdates.map(
    ({ name, afterOid, beforeOid = "" }) => `update ${name} ${afterOid} ${beforeOid}\n`,
  );
  return bare.tryGit(["update-ref", "--stdin"], lines.join("")) === undefined
    ? refuse("UNPROCESSABLE", "Reference could not be updated")
    : ok({ data: { updateRefs: { clientMutationId: null } } });
}
