import { created, fault, notFound, ok, type Reply, type Route, textOf } from "./ask.ts";
import type { Bare } from "./bare.ts";

/** Refs of any name, in the bare repository that git pushes to. */
export function refRoutes(bare: Bare): Route {
  return ({ method, path, body }) => {
    const [, kind = "", name = ""] =
      /^\/repos\/[^/]+\/[^/]+\/git\/(ref|matching-refs|refs)(?:\/(.+))?$/.exec(path) ?? [];
    const ref = `refs/${decodeURIComponent(name)}`;
    if (kind === "") return undefined;
    if (method === "GET" && kind === "ref") return one(bare, ref);
    if (method === "GET") return ok(all(bare, ref));
    if (method === "POST") return create(bare, textOf(body["ref"]), textOf(body["sha"]));
    if (method === "PATCH") return update(bare, ref, body);
    return method === "DELETE" ? remove(bare, ref) : undefined;
  };
}

function one(bare: Bare, ref: string): Reply {
  const [found] = bare.read([ref]);
  return found === undefined ? notFound : ok(shown(ref, found.id, found.type));
}

/** `matching-refs` matches the beginning of a name, not whole parts of it. */
function all(bare: Bare, prefix: string) {
  const listed = bare.git(["for-each-ref", "--format=%(refname) %(objectname) %(objecttype)"]);
  return listed
    .split("\n")
    .filter((line) => line.startsWith(prefix))
    .map((line) => {
      const [ref = "", sha = "", type = ""] = line.split(" ");
      return shown(ref, sha, type);
    });
}

const shown = (ref: string, sha: string, type = "commit") => ({
  ref,
  node_id: Buffer.from(ref).toString("base64"),
  url: `http://localhost/git/${ref}`,
  object: { type, sha, url: `http://localhost/git/commits/${sha}` },
});

function create(bare: Bare, ref: string, sha: string): Reply {
  if (!/^refs\/[^/]+\/./.test(ref))
    return fault(422, "Reference name must start with 'refs/' and have two slashes");
  if (bare.commit(sha) === undefined) return fault(422, "Object does not exist");
  return bare.tryGit(["update-ref", ref, sha, none]) === undefined
    ? fault(422, "Reference already exists")
    : created(shown(ref, sha));
}

const none = "0".repeat(40);

function update(bare: Bare, ref: string, body: Readonly<Record<string, unknown>>): Reply {
  const sha = textOf(body["sha"]);
  const [at, next] = bare.read([`${ref}^{commit}`, `${sha}^{commit}`]);
  if (at === undefined) return fault(422, "Reference does not exist");
  if (next === undefined) return fault(422, "Object does not exist");
  const now = at.id;
  const isForward =
    next.bytes.toString().split("\n\n", 1)[0]?.includes(`\nparent ${now}`) === true ||
    bare.tryGit(["merge-base", "--is-ancestor", now, sha]) !== undefined;
  if (!isForward && body["force"] !== true) return fault(422, "Update is not a fast forward");
  return bare.tryGit(["update-ref", ref, sha, now]) === undefined
    ? fault(422, "Reference cannot be updated")
    : ok(shown(ref, sha));
}

function remove(bare: Bare, ref: string): Reply {
  if (bare.commit(ref) === undefined) return fault(422, "Reference does not exist");
  bare.git(["update-ref", "-d", ref]);
  return { status: 204 };
}
