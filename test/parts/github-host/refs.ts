import { created, fault, notFound, ok, type Reply, type Route, textOf } from "./ask.ts";
import type { Bare } from "./bare.ts";
import type { RefGuard } from "./rulesets.ts";

/** Refs of any name, in the bare repository that git pushes to. */
export function refRoutes(bare: Bare, guard: RefGuard): Route {
  return ({ method, path, body, login }) => {
    const [, kind = "", name = ""] =
      /^\/repos\/[^/]+\/[^/]+\/git\/(ref|matching-refs|refs)(?:\/(.+))?$/.exec(path) ?? [];
    const ref = `refs/${decodeURIComponent(name)}`;
    if (kind === "") return undefined;
    if (method === "GET") return kind === "ref" ? one(bare, ref) : ok(all(bare, ref));
    const write = writes[method];
    const made = method === "POST" ? textOf(body["ref"]) : ref;
    const next = method === "DELETE" ? undefined : textOf(body["sha"]);
    return write && (guard({ ref: made, next, login }) ?? write(bare, made, body));
  };
}

type Body = Readonly<Record<string, unknown>>;

const writes: Readonly<Record<string, (bare: Bare, ref: string, body: Body) => Reply>> = {
  POST: (bare, ref, body) => create(bare, ref, textOf(body["sha"])),
  PATCH: (bare, ref, body) => update(bare, ref, body),
  DELETE: (bare, ref) => remove(bare, ref),
};

function one(bare: Bare, ref: string): Reply {
  const [object] = bare.read([ref]);
  return object === undefined ? notFound : ok(shown(ref, object.id, object.type));
}

/** `matching-refs` matches a prefix of the name, not whole segments. */
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
  if (bare.tryGit(["update-ref", ref, sha, none]) !== undefined) return created(shown(ref, sha));
  // A ref cannot be a folder of refs.
  return fault(422, bare.commit(ref) === undefined ? "Reference update failed" : "Reference already exists");
}

const none = "0".repeat(40);

function update(bare: Bare, ref: string, body: Body): Reply {
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
