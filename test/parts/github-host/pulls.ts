import { join } from "node:path";
import { fault, notFound, ok, type Reply, type Route, textOf } from "./ask.ts";
import type { Bare } from "./bare.ts";
import { filesBetween } from "./contents.ts";

/** Pull requests of the emulator, with the commits of the bare repository. */
export interface Pulls {
  readonly numbers: Set<number>;
  /** `owner/name` of the fork a pull request comes from, by its number. */
  readonly forks: Map<number, string>;
  readonly seen: Map<number, PullSeen>;
  /** Those whose draft state was changed after they were opened. */
  readonly drafts: Map<string, boolean>;
  /** The head of each closed one, which pushes no longer change. */
  readonly closed: Map<number, string>;
  /** When each was merged, in ISO 8601. */
  readonly merged: Map<number, string>;
  /** Computed mergeability, by the commits of head and base. */
  readonly mergeable: Map<string, boolean>;
  /** True if a head that lacks commits of its base must not be merged: "Require branches to be up to date". */
  requiresUpToDate: boolean;
}

/** A pull request as last returned by the emulator. */
export interface PullSeen {
  /** Its node id. */
  readonly id: string;
  readonly author: string;
  readonly head: string;
  readonly base: string;
  readonly state: string;
  readonly draft: boolean;
}

export const openPulls = (): Pulls => ({
  numbers: new Set(),
  forks: new Map(),
  seen: new Map(),
  drafts: new Map(),
  closed: new Map(),
  merged: new Map(),
  mergeable: new Map(),
  requiresUpToDate: false,
});

export function pullRoutes(bare: Bare, pulls: Pulls): Route {
  return (ask) => {
    if (ask.method === "POST" && /^\/repos\/[^/]+\/[^/]+\/pulls$/.test(ask.path))
      return refused(bare, pulls, ask.body);
    if (ask.method === "POST" && ask.path === "/graphql") return changedDraft(pulls, ask.body);
    const number = Number(/\/pulls\/(\d+)\/files$/.exec(ask.path)?.[1]);
    if (ask.method !== "GET" || Number.isNaN(number)) return undefined;
    const pull = pulls.seen.get(number);
    const head = bare.commit(`refs/heads/${pull?.head}`);
    const base = bare.commit(`refs/heads/${pull?.base}`);
    const merge = head && base && bare.tryGit(["merge-base", base, head]);
    return merge && head ? ok(filesBetween(bare, merge, head)) : notFound;
  };
}

/** Merging happens in the bare repository; the emulator only closes the pull request. */
export function mergeRoutes(bare: Bare, pulls: Pulls, emulator: () => string): Route {
  return async ({ method, path, body, headers }) => {
    const [, at = "", digits = ""] = /^(\/repos\/[^/]+\/[^/]+\/pulls\/(\d+))\/merge$/.exec(path) ?? [];
    const number = Number(digits);
    const pull = pulls.seen.get(number);
    if (method !== "PUT" || at === "") return undefined;
    if (pull === undefined) return notFound;
    // The last response may be older than the last change of its draft state.
    if (pulls.drafts.get(pull.id) ?? pull.draft) return fault(405, "Pull Request is still a draft");
    const sha = mergeNow(bare, pull, { way: textOf(body["merge_method"]), title: `Merge #${number}` });
    if (sha === undefined) return fault(405, "Pull Request is not mergeable");
    pulls.merged.set(number, new Date().toISOString());
    pulls.closed.set(number, bare.git(["rev-parse", `refs/heads/${pull.head}`]));
    const { authorization = "" } = headers;
    await fetch(`${emulator()}${at}`, {
      method: "PATCH",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ state: "closed" }),
    });
    return ok({ sha, merged: true, message: "Pull Request successfully merged" });
  };
}

interface Merging {
  readonly way: string;
  readonly title: string;
}

/** Moves the base and returns the new commit; `undefined` if the pull request is not open or conflicts. */
function mergeNow(bare: Bare, pull: PullSeen, { way, title }: Merging): string | undefined {
  const [base, head] = [bare.commit(`refs/heads/${pull.base}`), bare.commit(`refs/heads/${pull.head}`)];
  if (pull.state !== "open" || base === undefined || head === undefined) return undefined;
  const tree = bare.tryGit(["merge-tree", "--write-tree", base, head]);
  if (tree === undefined) return undefined;
  const parents = way === "squash" ? [base] : [base, head];
  const tip =
    way === "rebase"
      ? rebased(bare, base, head)
      : bare.git(["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-m", title]);
  if (tip !== undefined) bare.git(["update-ref", `refs/heads/${pull.base}`, tip, base]);
  return tip;
}

/** Rebase: every commit is created again on the base, even if it would fit unchanged. */
function rebased(bare: Bare, base: string, head: string): string | undefined {
  const tree = join(bare.path, "rebasing");
  bare.git(["worktree", "add", "--quiet", "--detach", tree, base]);
  const picked = bare.tryGit(["-C", tree, "cherry-pick", "--no-ff", `${base}..${head}`]);
  const tip = picked === undefined ? undefined : bare.git(["-C", tree, "rev-parse", "HEAD"]);
  bare.git(["worktree", "remove", "--force", tree]);
  return tip;
}

/** What GitHub refuses to open: a missing branch, one without new commits, or a second pull request of a branch. */
function refused(bare: Bare, pulls: Pulls, body: Readonly<Record<string, unknown>>): Reply | undefined {
  const head = textOf(body["head"]).replace(/^[^:]*:/, "");
  const base = textOf(body["base"]);
  const [from, to] = [bare.commit(`refs/heads/${base}`), bare.commit(`refs/heads/${head}`)];
  const invalid = (field: string, message?: string) =>
    fault(422, "Validation Failed", [
      { resource: "PullRequest", field, code: message === undefined ? "invalid" : "custom", message },
    ]);
  if (to === undefined) return invalid("head");
  if (from === undefined) return invalid("base");
  if (bare.git(["rev-list", "--count", `${from}..${to}`]) === "0")
    return invalid("head", `No commits between ${base} and ${head}`);
  const same = [...pulls.seen.values()].some(
    (pull) => pull.head === head && pull.base === base && pull.state === "open",
  );
  return same ? invalid("head", `A pull request already exists for octocat:${head}.`) : undefined;
}

/** Only GraphQL can change the draft state. */
function changedDraft(
  { drafts }: Pulls,
  { query, variables }: Readonly<Record<string, unknown>>,
): Reply | undefined {
  const name = /convertPullRequestToDraft|markPullRequestReadyForReview/.exec(textOf(query))?.[0];
  if (name === undefined) return undefined;
  const isDraft = name === "convertPullRequestToDraft";
  drafts.set(String((variables as Readonly<Record<string, unknown>>)["id"]), isDraft);
  return ok({ data: { [name]: { pullRequest: { isDraft } } } });
}

/**
 * Adapts the emulator's responses and webhooks to GitHub's: `pull_request` in issues, bots as bots, commits of
 * branches.
 */
export function corrected(value: unknown, bare: Bare, pulls: Pulls): unknown {
  if (isPullShape(value))
    return { ...(correctedIn(value, bare, pulls) as object), ...merging(value, bare, pulls) };
  return correctedIn(value, bare, pulls);
}

/** Only a single pull request has `mergeable`, and not on the first request: then GitHub starts to compute it. */
function merging({ number, head, base, state }: Pull, bare: Bare, pulls: Pulls) {
  const { mergeable, merged } = pulls;
  const [from, to] = [bare.commit(`refs/heads/${base.ref}`), bare.commit(`refs/heads/${head.ref}`)];
  const key = `${from}:${to}`;
  const known = mergeable.get(key);
  if (known === undefined && from !== undefined && to !== undefined)
    mergeable.set(key, bare.tryGit(["merge-tree", "--write-tree", from, to]) !== undefined);
  const isOpen = state === "open" && !merged.has(number);
  const isBehind =
    pulls.requiresUpToDate && bare.tryGit(["merge-base", "--is-ancestor", `${from}`, `${to}`]) === undefined;
  const word = known === undefined ? "unknown" : !known ? "dirty" : isBehind ? "behind" : "clean";
  return {
    merged: merged.has(number),
    mergeable: isOpen ? (known ?? null) : null,
    mergeable_state: isOpen ? word : "unknown",
  };
}

const isPullShape = (value: unknown): value is Pull =>
  typeof value === "object" && value !== null && isPull(value as Readonly<Record<string, unknown>>);

function correctedIn(value: unknown, bare: Bare, pulls: Pulls): unknown {
  if (Array.isArray(value)) return value.map((each) => correctedIn(each, bare, pulls));
  if (typeof value !== "object" || value === null) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, correctedIn(each, bare, pulls)]),
  );
  if (isPull(inner)) return correctedPull(inner, bare, pulls);
  const login = inner["login"];
  if (typeof login === "string" && login.endsWith("[bot]")) return { ...inner, type: "Bot" };
  if ("issue_url" in inner && isNew(inner)) return { ...inner, updated_at: inner["created_at"] };
  const number = Number(inner["number"]);
  const isIssue = "comments_url" in inner && "title" in inner && pulls.numbers.has(number);
  return isIssue
    ? { ...inner, pull_request: { url: "", html_url: "", diff_url: "", patch_url: "", merged_at: null } }
    : inner;
}

/** The emulator writes new objects twice, and thereby updates them a millisecond later. */
const isNew = ({ created_at: made, updated_at: changed }: Readonly<Record<string, unknown>>) =>
  Date.parse(String(changed)) - Date.parse(String(made)) < 100;

interface Pull extends Readonly<Record<string, unknown>> {
  readonly number: number;
  readonly state: string;
  readonly user: { readonly login: string } | null;
  readonly head: Readonly<Record<string, unknown>> & { readonly ref: string };
  readonly base: Readonly<Record<string, unknown>> & { readonly ref: string };
}

const isPull = (value: Readonly<Record<string, unknown>>): value is Pull =>
  "head" in value && "base" in value && typeof value["number"] === "number" && "state" in value;

function correctedPull(pull: Pull, bare: Bare, pulls: Pulls): unknown {
  const { number, head, base, state, user } = pull;
  pulls.numbers.add(number);
  const id = String(pull["node_id"]);
  const draft = pulls.drafts.get(id) ?? pull["draft"];
  const author = user?.login ?? "";
  pulls.seen.set(number, { id, author, head: head.ref, base: base.ref, state, draft: draft === true });
  const fork = pulls.forks.get(number);
  const shaOf = (side: Pull["head"]) => bare.commit(`refs/heads/${side.ref}`) ?? side["sha"];
  if (state === "open") pulls.closed.delete(number);
  const headSha = pulls.closed.get(number) ?? shaOf(head);
  if (state !== "open") pulls.closed.set(number, String(headSha));
  const repo = head["repo"] as Readonly<Record<string, unknown>> | null;
  const forked =
    fork === undefined
      ? {}
      : {
          repo: { ...repo, id: 4711, full_name: fork, fork: true },
          label: `${fork.split("/")[0]}:${head.ref}`,
        };
  return {
    ...pull,
    draft,
    merged_at: pulls.merged.get(number) ?? null,
    head: { ...head, sha: headSha, ...forked },
    base: { ...base, sha: shaOf(base) },
  };
}
