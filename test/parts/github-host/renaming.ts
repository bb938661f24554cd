import type { Ask } from "./ask.ts";

/**
 * Where a request to a renamed repository is sent. Requests by the new name or by id are given the old one, which all
 * routes know.
 */
export function locationOf(url: URL, repository: string, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const rest = (start: string) =>
    url.pathname === start || url.pathname.startsWith(`${start}/`)
      ? url.pathname.slice(start.length)
      : undefined;
  const inGit = rest(`/${repository}.git`);
  if (inGit !== undefined) return `${url.origin}/${name}.git${inGit}${url.search}`;
  const git = rest(`/${name}.git`);
  if (git !== undefined) url.pathname = `/${repository}.git${git}`;
  for (const prefix of ["/api/v3", ""]) {
    const old = rest(`${prefix}/repos/${repository}`);
    if (old !== undefined) return `${url.origin}${prefix}/repositories/1${old}${url.search}`;
    const path = rest(`${prefix}/repositories/1`) ?? rest(`${prefix}/repos/${name}`);
    if (path === undefined) continue;
    url.pathname = `${prefix}/repos/${repository}${path}`;
    return undefined;
  }
  return undefined;
}

/** Responses show the new name, in the fields that name a repository. */
export function withName(value: unknown, repository: string, name: string | undefined): unknown {
  if (name === undefined) return value;
  const [[owner = "", repo], [newOwner = "", newRepo]] = [repository.split("/"), name.split("/")];
  const walk = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(walk);
    if (typeof each !== "object" || each === null || Buffer.isBuffer(each)) return each;
    const inner = Object.fromEntries(Object.entries(each).map(([key, one]) => [key, walk(one)]));
    if (typeof inner["label"] === "string" && inner["label"].startsWith(`${owner}:`))
      inner["label"] = `${newOwner}${inner["label"].slice(owner.length)}`;
    if (inner["full_name"] !== repository) return inner;
    const by = inner["owner"] as object | null | undefined;
    return {
      ...inner,
      full_name: name,
      name: inner["name"] === repo ? newRepo : inner["name"],
      ...(by ? { owner: { ...by, login: newOwner } } : {}),
    };
  };
  return walk(value);
}

/**
 * The filter of pull requests by `owner:branch` knows only the present owner; the emulator only the first one. An
 * owner that nobody has matches nothing.
 */
export function withOwner({ path, query }: Ask, repository: string, name = repository): URLSearchParams {
  const head = /\/pulls$/.test(path) ? query.get("head") : null;
  if (head === null) return query;
  const [owner = "", ...branch] = head.split(":");
  const isPresent = owner.toLowerCase() === name.split("/")[0]?.toLowerCase();
  const changed = new URLSearchParams(query);
  changed.set("head", `${isPresent ? repository.split("/")[0] : "nobody"}:${branch.join(":")}`);
  return changed;
}
