import { notFound, ok, type Reply, type Route } from "./ask.ts";
import type { Bare } from "./bare.ts";
import { commitShown } from "./objects.ts";

/** Files, branches and comparisons of the bare repository. */
export function contentRoutes(bare: Bare): Route {
  return ({ method, path, query, headers }) => {
    if (method !== "GET") return undefined;
    const [, what = "", rest = ""] =
      /^\/repos\/[^/]+\/[^/]+\/(contents|compare|branches|commits)\/(.+)$/.exec(path) ?? [];
    const name = decodeURIComponent(rest);
    if (what === "contents")
      return content(bare, { name, ref: query.get("ref") ?? "HEAD", accept: headers.accept ?? "" });
    if (what === "compare") return compare(bare, name);
    if (what === "branches" && !name.includes("/protection")) return branch(bare, name);
    return what === "commits" && !/\/(check-|status|comments)/.test(name) ? commit(bare, name) : undefined;
  };
}

interface Wanted {
  readonly name: string;
  readonly ref: string;
  readonly accept: string;
}

function content(bare: Bare, { name, ref, accept }: Wanted): Reply {
  const at = bare.commit(ref);
  const path = name.replace(/\/$/, "");
  const type = at && bare.tryGit(["cat-file", "-t", `${at}:${path}`]);
  if (type === "tree") return folder(bare, `${at}:${path}`, path);
  if (type !== "blob") return notFound;
  const bytes = bare.bytes(["cat-file", "blob", `${at}:${path}`]);
  if (accept.includes("raw"))
    return { status: 200, body: bytes, headers: { "content-type": "application/octet-stream" } };
  const sha = bare.git(["rev-parse", `${at}:${path}`]);
  const last = path.slice(path.lastIndexOf("/") + 1);
  // Above 1 MB only the raw format has the content.
  const isShort = bytes.length <= 1_048_576;
  return ok({
    type: "file",
    encoding: isShort ? "base64" : "none",
    size: bytes.length,
    name: last,
    path,
    sha,
    content: isShort ? bytes.toString("base64") : "",
    url: "",
    html_url: "",
    git_url: "",
    download_url: "",
  });
}

function folder(bare: Bare, tree: string, path: string): Reply {
  const rows = bare.git(["ls-tree", "-z", tree]).split("\0").filter(Boolean);
  return ok(
    rows.map((row) => {
      const [, kind, sha, name] = /^\d+ (\w+) (\w+)\t([\s\S]*)$/.exec(row) ?? [];
      return {
        type: kind === "tree" ? "dir" : "file",
        name,
        path: path === "" ? name : `${path}/${name}`,
        sha,
        size: 0,
      };
    }),
  );
}

function branch(bare: Bare, name: string): Reply {
  const commit = commitShown(bare, `refs/heads/${name}`);
  return commit === undefined
    ? notFound
    : ok({ name, commit: { sha: commit.sha, commit }, protected: false });
}

function commit(bare: Bare, name: string): Reply {
  const shown = commitShown(bare, name);
  return shown === undefined ? notFound : ok({ sha: shown.sha, commit: shown, parents: shown.parents });
}

function compare(bare: Bare, basehead: string): Reply {
  const [from = "", to = ""] = basehead.split("...");
  const base = bare.commit(from);
  const head = bare.commit(to);
  const merge = base && head && bare.tryGit(["merge-base", base, head]);
  if (!base || !head || !merge) return notFound;
  const [behind = 0, ahead = 0] = bare
    .git(["rev-list", "--left-right", "--count", `${base}...${head}`])
    .split("\t")
    .map(Number);
  const status = ahead > 0 ? (behind > 0 ? "diverged" : "ahead") : behind > 0 ? "behind" : "identical";
  const commits = bare
    .git(["rev-list", "--reverse", `${base}..${head}`])
    .split("\n")
    .filter(Boolean);
  return ok({
    status,
    ahead_by: ahead,
    behind_by: behind,
    total_commits: ahead,
    merge_base_commit: { sha: merge },
    base_commit: { sha: base },
    commits: commits.map((sha) => ({ sha, commit: commitShown(bare, sha) })),
    files: filesBetween(bare, merge, head),
  });
}

/** What changed between two commits, a row for each file. */
export function filesBetween(bare: Bare, from: string, to: string) {
  const args = ["--no-renames", "-z", from, to];
  const numbers = bare
    .git(["diff", "--numstat", ...args])
    .split("\0")
    .filter(Boolean);
  const letters = bare
    .git(["diff", "--name-status", ...args])
    .split("\0")
    .filter(Boolean);
  return numbers.map((row, at) => {
    const [added = "", removed = "", filename = ""] = row.split("\t");
    const [additions, deletions] = [Number(added) || 0, Number(removed) || 0];
    const status = { A: "added", D: "removed" }[letters[at * 2] ?? ""] ?? "modified";
    return { filename, status, additions, deletions, changes: additions + deletions, sha: "", patch: "" };
  });
}
