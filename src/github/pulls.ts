import { statusOf } from "./api.ts";
import type { GitHub } from "./client.ts";

/** The parts of a pull request that a run needs. */
export interface Pull {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly state: string;
  readonly draft: boolean;
  /** Name of its head branch, and its tip. */
  readonly head: string;
  readonly headSha: string;
  readonly base: string;
  readonly baseSha: string;
  /** True if the branch is in this repository. */
  readonly isOwn: boolean;
  /** The node id, for GraphQL. */
  readonly nodeId: string;
  /** True if it merges without conflicts; `undefined` while GitHub has not computed it, and in lists. */
  readonly mergeable: boolean | undefined;
  /** True if its branch lacks commits of a base that requires them. */
  readonly isBehind: boolean;
  readonly merged: boolean;
}

interface PullData {
  readonly number: number;
  readonly html_url: string;
  readonly title: string;
  readonly body?: string | null | undefined;
  readonly state: string;
  readonly draft?: boolean | undefined;
  readonly node_id: string;
  readonly mergeable?: boolean | null | undefined;
  readonly mergeable_state?: string | undefined;
  readonly merged_at?: string | null | undefined;
  readonly head: {
    readonly ref: string;
    readonly sha: string;
    readonly repo: { readonly full_name: string } | null;
  };
  readonly base: {
    readonly ref: string;
    readonly sha: string;
    readonly repo: { readonly full_name: string };
  };
}

/** Reads one pull request by its number. */
export async function readPull(github: GitHub, number: number): Promise<Pull> {
  const { data } = await github.request("GET /repos/{owner}/{repo}/pulls/{pull_number}", {
    ...github.at,
    pull_number: number,
  });
  return pullOf(data as PullData);
}

/** The newest open pull request from a branch of this repository; `undefined` if there is none. */
export async function findPull(github: GitHub, branch: string): Promise<Pull | undefined> {
  return (await listPulls(github, { branch, state: "open" }))[0];
}

/**
 * The open pull request from a branch of this repository, else its newest one. There may be a closed one with another
 * base.
 */
export async function findLastPull(github: GitHub, branch: string): Promise<Pull | undefined> {
  const pulls = await listPulls(github, { branch, state: "all" });
  return pulls.find(({ state }) => state === "open") ?? pulls[0];
}

async function listPulls(
  github: GitHub,
  { branch, state }: { readonly branch: string; readonly state: "open" | "all" },
): Promise<readonly Pull[]> {
  const listOf = async (owner: string) =>
    await github.request("GET /repos/{owner}/{repo}/pulls", {
      ...github.at,
      head: `${owner}:${branch}`,
      state,
      sort: "created",
      direction: "desc",
      per_page: 10,
    });
  let response = await listOf(github.at.owner);
  // A redirect means that the repository got another name after this job began. GitHub filters by its present owner.
  if (/\/repositories\/\d+\//.test(response.url)) {
    const { data: now } = await github.request("GET /repos/{owner}/{repo}", { ...github.at });
    if (now.owner.login !== github.at.owner) response = await listOf(now.owner.login);
  }
  return response.data.map((each) => pullOf(each as PullData)).filter((pull) => pull.head === branch);
}

/** How many pull requests are open whose branch has this prefix, among the newest 100. */
export async function countOpenPulls(github: GitHub, prefix: string): Promise<number> {
  const { data } = await github.request("GET /repos/{owner}/{repo}/pulls", {
    ...github.at,
    state: "open",
    per_page: 100,
  });
  return data.filter(({ head }) => head.ref.startsWith(prefix)).length;
}

/** The merge base of two commits. */
export async function readMergeBase(github: GitHub, base: string, head: string): Promise<string> {
  const route = "GET /repos/{owner}/{repo}/compare/{basehead}";
  const { data } = await github.request(route, { ...github.at, basehead: `${base}...${head}`, per_page: 1 });
  return data.merge_base_commit.sha;
}

/** The parents of a commit; `undefined` if the repository lacks it. */
export async function readCommitParents(
  github: GitHub,
  commit: string,
): Promise<readonly string[] | undefined> {
  const route = "GET /repos/{owner}/{repo}/git/commits/{commit_sha}";
  try {
    const { data } = await github.request(route, { ...github.at, commit_sha: commit });
    return data.parents.map(({ sha }) => sha);
  } catch (error) {
    if ([404, 422].includes(statusOf(error) ?? 0)) return undefined;
    throw error;
  }
}

/** The message of a commit. */
export async function readMessage(github: GitHub, commit: string): Promise<string> {
  const { data } = await github.request("GET /repos/{owner}/{repo}/git/commits/{commit_sha}", {
    ...github.at,
    commit_sha: commit,
  });
  return data.message;
}

export interface PullText {
  readonly title: string;
  readonly body: string;
}

/** Opens a pull request. */
export async function createPull(
  github: GitHub,
  pull: PullText & { readonly head: string; readonly base: string; readonly draft: boolean },
): Promise<Pull> {
  const { data } = await github.request("POST /repos/{owner}/{repo}/pulls", { ...github.at, ...pull });
  return pullOf(data as PullData);
}

/** Changes the title and body of a pull request. */
export async function updatePull(github: GitHub, number: number, text: PullText): Promise<void> {
  await github.request("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", {
    ...github.at,
    pull_number: number,
    ...text,
  });
}

/** Marks a pull request as draft or ready, which only GraphQL can do. */
export async function setDraft(github: GitHub, { nodeId }: Pull, draft: boolean): Promise<void> {
  const name = draft ? "convertPullRequestToDraft" : "markPullRequestReadyForReview";
  const query = `mutation($id: ID!) { ${name}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`;
  await github.graphql(query, { id: nodeId });
}

/** Adds labels; GitHub creates missing ones. */
export async function addLabels(github: GitHub, number: number, labels: readonly string[]): Promise<void> {
  if (labels.length === 0) return;
  await github.request("POST /repos/{owner}/{repo}/issues/{issue_number}/labels", {
    ...github.at,
    issue_number: number,
    labels: [...labels],
  });
}

function pullOf(pull: PullData): Pull {
  const { number, title, state, draft = false, head, base } = pull;
  return {
    number,
    url: pull.html_url,
    title,
    body: pull.body ?? "",
    state,
    draft,
    nodeId: pull.node_id,
    mergeable: pull.mergeable ?? undefined,
    isBehind: pull.mergeable_state === "behind",
    merged: Boolean(pull.merged_at),
    head: head.ref,
    headSha: head.sha,
    base: base.ref,
    baseSha: base.sha,
    isOwn: head.repo?.full_name === base.repo.full_name,
  };
}

interface People {
  readonly reviewers: readonly string[];
  /** Team slugs. */
  readonly teams: readonly string[];
  readonly assignees: readonly string[];
}

/** Requests reviews from people and teams, and assigns the pull request. */
export async function askPeople(
  github: GitHub,
  number: number,
  { reviewers, teams, assignees }: People,
): Promise<void> {
  if (reviewers.length + teams.length > 0)
    await github.request("POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", {
      ...github.at,
      pull_number: number,
      reviewers: [...reviewers],
      team_reviewers: [...teams],
    });
  if (assignees.length > 0)
    await github.request("POST /repos/{owner}/{repo}/issues/{issue_number}/assignees", {
      ...github.at,
      issue_number: number,
      assignees: [...assignees],
    });
}
