import { type Ask, fault, type Reply, type Route, textOf } from "./ask.ts";
import type { Bare } from "./bare.ts";

/** The state of a repository and of the tokens that may use it. */
export interface Standing {
  /** Ends every token of a user or an app, as after an hour: 401, for git too. */
  expire(login: string): void;
  /** Makes the token of a user valid again, as in the next job. */
  renew(login: string): void;
  /** Makes the repository read-only. */
  archive(isArchived: boolean): void;
  isArchived(): boolean;
  /** The new names of branches that were renamed, by the old ones. */
  readonly renamedBranches: Map<string, string>;
}

interface Setting {
  readonly tokens: Map<string, string>;
  tokenOf(login: string): string;
}

export function openStanding({ tokens, tokenOf }: Setting): Standing {
  let archived = false;
  return {
    expire(login) {
      for (const [token, owner] of tokens) if (owner === login) tokens.delete(token);
    },
    renew: (login) => void tokens.set(tokenOf(login), login),
    archive(isArchived) {
      archived = isArchived;
    },
    isArchived: () => archived,
    renamedBranches: new Map(),
  };
}

/** The permissions of a job's token, by GitHub's name: `read` or `write`. */
export type Permissions = Readonly<Record<string, "read" | "write">>;

interface Guarded {
  readonly standing: Standing;
  readonly bare: Bare;
  /** The job's permissions; default: all. */
  readonly permissions: Permissions | undefined;
  readonly isPrivate: boolean;
  readonly jobLogin: string;
  renamed(): string | undefined;
}

/** Refuses what the state of the repository or the permissions of a job's token forbid. */
export function guardRoutes(guarded: Guarded): Route {
  return (ask) =>
    archivedFault(guarded, ask) ??
    permissionFault(guarded, ask) ??
    nameFault(guarded, ask) ??
    movedBranch(guarded, ask);
}

const isWrite = ({ method, path }: Ask) => method !== "GET" && method !== "HEAD" && path !== "/graphql";

const archivedFault = ({ standing }: Guarded, ask: Ask): Reply | undefined =>
  standing.isArchived() && isWrite(ask) && ask.path.startsWith("/repos/")
    ? fault(403, "Repository was archived so is read-only.")
    : undefined;

/** https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps */
const needed: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/check-(runs|suites)|^\/commits\/.+\/check-(runs|suites)$/, ["checks"]],
  [/^\/commits\/.+\/status$/, ["statuses"]],
  [/^\/pulls(\/|$)/, ["pull_requests"]],
  [/^\/issues$/, ["issues"]],
  [/^\/issues\//, ["issues", "pull_requests"]],
  [/^\/actions\//, ["actions"]],
  [/^\/(git|contents|compare|branches|commits|dispatches)(\/|$)/, ["contents"]],
];

function permissionFault(
  { permissions, isPrivate, jobLogin }: Guarded,
  { login, ...ask }: Ask,
): Reply | undefined {
  if (permissions === undefined || login !== jobLogin) return undefined;
  const path = /^\/repos\/[^/]+\/[^/]+(\/.*)?$/.exec(ask.path)?.[1] ?? "";
  const any = needed.find(([route]) => route.test(path))?.[1];
  const level = isWrite({ login, ...ask }) ? "write" : "read";
  if (any === undefined || (level === "read" && !isPrivate)) return undefined;
  const has = any.some((one) => permissions[one] === "write" || permissions[one] === level);
  if (has) return undefined;
  const accepted = any.map((one) => `${one}=${level}`).join("; ");
  return {
    ...fault(403, "Resource not accessible by integration"),
    headers: { "x-accepted-github-permissions": accepted },
  };
}

/** GitHub redirects to a branch by its old name: https://docs.github.com/en/rest/branches/branches#get-a-branch */
function movedBranch({ standing, bare }: Guarded, { method, path, headers }: Ask): Reply | undefined {
  const [, start = "", old = ""] = /^(\/repos\/[^/]+\/[^/]+\/branches\/)(.+)$/.exec(path) ?? [];
  const name = standing.renamedBranches.get(decodeURIComponent(old));
  if (method !== "GET" || name === undefined || bare.commit(`refs/heads/${old}`) !== undefined)
    return undefined;
  const location = `http://${headers.host}/api/v3${start}${encodeURIComponent(name)}`;
  return { ...fault(301, "Moved Permanently"), headers: { location } };
}

/** Names that exist no more: of a renamed repository for an app's token, and of a branch for a new job. */
function nameFault({ bare, renamed }: Guarded, { method, path, body }: Ask): Reply | undefined {
  if (method !== "POST") return undefined;
  const name = renamed()?.split("/")[1];
  const names = body["repositories"];
  if (path.endsWith("/access_tokens") && name !== undefined && Array.isArray(names) && !names.includes(name))
    return fault(
      422,
      "There is at least one repository that does not exist or is not accessible to the parent installation.",
    );
  if (!/\/actions\/workflows\/[^/]+\/dispatches$/.test(path)) return undefined;
  const ref = textOf(body["ref"]);
  const isThere = ["", "refs/heads/", "refs/tags/"].some((start) =>
    /^refs\/(heads|tags)\//.test(`${start}${ref}`) ? bare.commit(`${start}${ref}`) !== undefined : false,
  );
  return ref === "" || isThere ? undefined : fault(422, `No ref found for: ${ref}`);
}
