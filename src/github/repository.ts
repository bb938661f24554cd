import { z } from "zod";
import { type ApiRepository, askIfThere, statusOf } from "./api.ts";
import { type GitHub, GitHubError } from "./client.ts";

/** Facts about a repository that are checked before anything is written. */
export interface RepositoryFacts {
  readonly defaultBranch: string;
  /** True if the token may push, if GitHub reports it. */
  readonly mayPush: boolean | undefined;
}

/** Reads a repository's settings as this token sees them. */
export async function readRepositoryFacts(github: GitHub): Promise<RepositoryFacts> {
  const { data } = await github.request("GET /repos/{owner}/{repo}", { ...github.at });
  const { push, pull } = data.permissions ?? {};
  // For an app's token GitHub reports no permissions, whatever the app may do.
  return { defaultBranch: data.default_branch, mayPush: pull === false ? undefined : push };
}

/** The kinds of access a job may need; each is checked by a read-only request. */
const reads = {
  "pull-requests": "GET /repos/{owner}/{repo}/pulls?per_page=1",
  checks: "GET /repos/{owner}/{repo}/commits/HEAD/check-runs?per_page=1",
  actions: "GET /repos/{owner}/{repo}/actions/runs?per_page=1",
} as const;

/** The error with which GitHub refuses this kind of request; `undefined` if it is allowed. */
export async function readAccess(github: GitHub, what: keyof typeof reads): Promise<GitHubError | undefined> {
  try {
    await github.request(reads[what], { ...github.at });
    return undefined;
  } catch (error) {
    if (error instanceof GitHubError && [401, 403, 404].includes(error.status)) return error;
    throw error;
  }
}

/** Requests that GitHub never carries out: a pull request of a branch into itself, an issue without a title. */
const vainWrites = {
  "pull-requests": (github: GitHub, branch: string) =>
    github.request("POST /repos/{owner}/{repo}/pulls", {
      ...github.at,
      title: "May this job open a pull request?",
      head: branch,
      base: branch,
    }),
  issues: (github: GitHub) =>
    github.request("POST /repos/{owner}/{repo}/issues", { ...github.at, title: "" }),
} as const;

/**
 * The error with which GitHub refuses the token to write; `undefined` if it is allowed or unknown. In a public
 * repository every token can read, so only a write shows it: GitHub checks the permission before the body.
 */
export async function writeAccess(
  github: GitHub,
  { what, branch }: { readonly what: keyof typeof vainWrites; readonly branch: string },
): Promise<GitHubError | undefined> {
  try {
    await vainWrites[what](github, branch);
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    if (error.status === 403 && /not accessible by/i.test(error.message)) return error;
  }
  return undefined;
}

/** The present name of a branch, which GitHub also finds by an earlier one; `undefined` if there is none. */
export async function readBranchName(github: GitHub, branch: string): Promise<string | undefined> {
  const route = "GET /repos/{owner}/{repo}/branches/{branch}";
  try {
    return (await github.request(route, { ...github.at, branch })).data.name;
  } catch (error) {
    if (error instanceof GitHubError && error.status === 404) return undefined;
    throw error;
  }
}

/** A branch beside which there can be none with this name: git stores branches like files, and their folders. */
export async function readBranchInTheWay(github: GitHub, branch: string): Promise<string | undefined> {
  const parts = branch.split("/");
  for (let length = 1; length < parts.length; length += 1) {
    const above = parts.slice(0, length).join("/");
    // GitHub also answers with the new name of a renamed branch.
    if ((await readBranchName(github, above)) === above) return above;
  }
  const below = branch.split("/").map(encodeURIComponent).join("/");
  // It matches the start of a name, not whole segments.
  const route = `GET /repos/{owner}/{repo}/git/matching-refs/heads/${below}`;
  const { data } = await github.request(route as "GET /", { ...github.at });
  const refs = z.array(z.object({ ref: z.string() })).parse(data);
  const start = `refs/heads/${branch}/`;
  return refs.find(({ ref }) => ref.startsWith(start))?.ref.slice("refs/heads/".length);
}

const named = z.object({ full_name: z.string() });

/** True if a repository has, or had until it was renamed or transferred, this `owner/name`. */
export async function isNameOf({ api, owner, repo }: ApiRepository, name: string): Promise<boolean> {
  const present = `${owner}/${repo}`.toLowerCase();
  if (name.toLowerCase() === present) return true;
  const [, formerOwner, formerRepo] = /^([\w-]+)\/(?!\.+$)([\w.-]+)$/.exec(name) ?? [];
  if (formerOwner === undefined) return false;
  try {
    // GitHub redirects a former name to the repository, until another one gets that name.
    const at = { owner: formerOwner, repo: formerRepo };
    const answer = named.safeParse(await askIfThere(api, "GET /repos/{owner}/{repo}", at));
    return answer.data?.full_name.toLowerCase() === present;
  } catch (error) {
    if (statusOf(error) === 403 || statusOf(error) === 451) return false;
    throw error;
  }
}
