import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeTree } from "../../../src/git/objects.ts";
import { created, fault, notFound, ok, type Reply, type Route, textOf } from "./ask.ts";
import type { Bare } from "./bare.ts";

/** Commits, trees and blobs of the bare repository. */
export function objectRoutes(bare: Bare): Route {
  return ({ method, path, body, query, login }) => {
    const [, kind = "", sha = ""] =
      /^\/repos\/[^/]+\/[^/]+\/git\/(commits|trees|blobs)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (method === "POST" && kind === "commits") return makeCommit(bare, body, login);
    if (method === "POST") return make[kind]?.(bare, body);
    return method === "GET" ? read[kind]?.(bare, sha, query.has("recursive")) : undefined;
  };
}

const read: Readonly<Record<string, (bare: Bare, sha: string, recursive: boolean) => Reply>> = {
  commits: (bare, sha) => readCommit(bare, sha),
  trees: (bare, sha, recursive) => readTree(bare, sha, recursive),
  blobs: (bare, sha) => readBlob(bare, sha),
};

const make: Readonly<Record<string, (bare: Bare, body: Readonly<Record<string, unknown>>) => Reply>> = {
  trees: (bare, body) => makeTree(bare, body),
  blobs: (bare, body) => makeBlob(bare, body),
};

/** A commit as the API returns it; `undefined` if it does not exist. */
export function commitShown(bare: Bare, name: string) {
  const [object] = bare.read([`${name}^{commit}`]);
  if (object === undefined) return undefined;
  const { id: sha } = object;
  const text = object.bytes.toString().trimEnd();
  const end = text.indexOf("\n\n");
  const head = text.slice(0, end).split("\n");
  const field = (name: string) =>
    head.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return {
    sha,
    node_id: sha,
    author: person(field("author")[0]),
    committer: person(field("committer")[0]),
    message: text.slice(end + 2),
    tree: { sha: field("tree")[0] ?? "", url: "" },
    parents: field("parent").map((parent) => ({ sha: parent, url: "", html_url: "" })),
    verification: { verified: false, reason: "unsigned", signature: null, payload: null },
    url: "",
    html_url: "",
  };
}

function person(line = "") {
  const [, name = "", email = "", time = "0"] = /^(.*) <(.*)> (\d+) /.exec(line) ?? [];
  return { name, email, date: new Date(Number(time) * 1000).toISOString().replace(".000", "") };
}

const readCommit = (bare: Bare, sha: string): Reply => {
  const shown = commitShown(bare, sha);
  return shown === undefined ? notFound : ok(shown);
};

function readTree(bare: Bare, name: string, recursive: boolean): Reply {
  const isId = /^[0-9a-f]{40}$/.test(name);
  const sha = isId ? name : bare.tryGit(["rev-parse", "--verify", "--quiet", `${name}^{tree}`]);
  const listed = sha && bare.tryGit(["ls-tree", "-l", "-z", ...(recursive ? ["-r", "-t"] : []), sha]);
  if (!sha || listed === undefined) return notFound;
  const tree = listed
    .split("\0")
    .filter(Boolean)
    .map((row) => {
      const [, mode, type, object, size = "-", path] =
        /^(\d+) (\w+) (\w+) +(\S+)\t([\s\S]*)$/.exec(row) ?? [];
      return { path, mode, type, sha: object, url: "", ...(size === "-" ? {} : { size: Number(size) }) };
    });
  return ok({ sha, url: "", tree, truncated: false });
}

function readBlob(bare: Bare, sha: string): Reply {
  if (bare.tryGit(["cat-file", "-t", sha]) !== "blob") return notFound;
  const bytes = bare.bytes(["cat-file", "blob", sha]);
  return ok({
    sha,
    node_id: sha,
    size: bytes.length,
    url: "",
    content: bytes.toString("base64"),
    encoding: "base64",
  });
}

function makeBlob(bare: Bare, body: Readonly<Record<string, unknown>>): Reply {
  const encoding = body["encoding"] === "base64" ? "base64" : "utf8";
  const sha = bare.git(["hash-object", "-w", "--stdin"], Buffer.from(textOf(body["content"]), encoding));
  return created({ sha, url: "" });
}

interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly type: string;
  readonly sha?: string | null;
  readonly content?: string;
}

/** Nested paths create nested trees, on top of `base_tree` if given; a `sha` of null removes a path. */
function makeTree(bare: Bare, body: Readonly<Record<string, unknown>>): Reply {
  const entries = (body["tree"] ?? []) as readonly Entry[];
  const base = textOf(body["base_tree"]);
  const flat = makeFlatTree(bare, base, entries);
  if (flat !== undefined) return flat;
  const index = `index-${process.pid}-${made++}`;
  const git = (args: readonly string[], input?: string) => bare.git(args, input, index);
  try {
    git(base === "" ? ["read-tree", "--empty"] : ["read-tree", base]);
    for (const { path, mode, sha } of entries) {
      if (mode === "040000" && sha) git(["read-tree", `--prefix=${path}/`, sha]);
    }
    const lines = entries.map(({ path, mode, sha, content }) => {
      if (sha === null) return `0 ${"0".repeat(40)}\t${path}\0`;
      return `${mode} ${sha ?? bare.git(["hash-object", "-w", "--stdin"], content ?? "")}\t${path}\0`;
    });
    const files = lines.filter((line) => !line.startsWith("040000 "));
    git(["update-index", "-z", "--index-info"], files.join(""));
    return { ...readTree(bare, git(["write-tree"]), false), status: 201 };
  } catch {
    return fault(422, "tree.sha is not a valid object");
  } finally {
    rmSync(join(bare.path, index), { force: true });
  }
}

let made = 0;

/** A fast path for the usual tree, without starting git: some files next to existing folders. */
function makeFlatTree(bare: Bare, base: string, entries: readonly Entry[]): Reply | undefined {
  const isFile = ({ path, mode, content }: Entry) =>
    mode === "100644" && content !== undefined && !path.includes("/");
  const files = entries.filter(isFile);
  const listed = base === "" ? undefined : readTree(bare, base, false);
  const there = (listed?.body as { readonly tree?: readonly Required<Entry>[] } | undefined)?.tree ?? [];
  const others = [...there, ...entries.filter((entry) => !files.includes(entry))];
  const kept = others.filter(({ path }) => !files.some((file) => file.path === path));
  const names = kept.map(({ sha }) => `${sha}`);
  const isTree = bare.read(names).every((object) => object?.type === "tree");
  if (!isTree || (listed !== undefined && listed.status !== 200)) return undefined;
  const sha = writeTree(bare.path, "sha1", {
    ...Object.fromEntries(kept.map(({ path, sha: id }) => [path, id ?? ""])),
    ...Object.fromEntries(files.map(({ path, content = "" }) => [path, Buffer.from(content)])),
  });
  return created({ sha, url: "", tree: kept, truncated: false });
}

/** Signs commits of an app without an explicit author, like GitHub. */
function makeCommit(bare: Bare, body: Readonly<Record<string, unknown>>, login = ""): Reply {
  const parents = (body["parents"] ?? []) as readonly string[];
  const tree = textOf(body["tree"]);
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  const plain = bare.tryGit(args, textOf(body["message"]));
  if (plain === undefined) return fault(422, "Tree SHA or parent does not exist");
  const isSigned = login.endsWith("[bot]") && body["author"] === undefined && body["committer"] === undefined;
  if (!isSigned) return created(commitShown(bare, plain));
  const text = bare
    .bytes(["cat-file", "commit", plain])
    .toString()
    .replace(/^author .* (\d+ \+0000)$/m, `author ${login} <1+${login}@users.noreply.github.com> $1`)
    .replace(/^committer .* (\d+ \+0000)$/m, "committer GitHub <noreply@github.com> $1\ngpgsig emulated");
  const sha = bare.git(["hash-object", "-t", "commit", "-w", "--stdin"], text);
  return created({ ...commitShown(bare, sha), verification: { verified: true, reason: "valid" } });
}
