import type { GitHub } from "./client.ts";

/** A pull request as a run needs to know it. */
export interface Pull {
  readonly number: number;
  readonly url: string;
  readonly state: string;
  readonly draft: boolean;
  /** The branch it comes from, and the commit at its tip. */
  readonly head: string;
  readonly headSha: string;
  readonly base: string;
  readonly baseSha: string;
  /** Whether the branch lies in this repository. */
  readonly isOwn: boolean;
  /** Of the node, for GraphQL. */
  readonly nodeId: string;
}

interface PullData {
  readonly number: number;
  readonly html_url: string;
  readonly state: string;
  readonly draft?: boolean | undefined;
  readonly node_id: string;
  readonly head: {
    readonly ref: string;
    readonly sha: string;
    readonly repo: { readonly full_name: string } | null;
  };
  readonly base: { readonly ref: string; readonly sha: string };
}

/** Reads one pull request by its number. */
export async function readPull(github: GitHub, number: number): Promise<Pull> {
  const { data } = await github.request("GET /repos/{owner}/{repo}/pulls/{pull_number}", {
    ...github.at,
    pull_number: number,
  });
  return pullOf(github, data as PullData);
}

/** The open pull request from a branch of this repository, the newest of them; `undefined` where there is none. */
export async function findPull(github: GitHub, branch: string): Promise<Pull | undefined> {
  const { data } = await github.request("GET /repos/{owner}/{repo}/pulls", {
    ...github.at,
    head: `${github.at.owner}:${branch}`,
    state: "open",
    per_page: 10,
  });
  const [first] = data.map((each) => pullOf(github, each as PullData)).filter((pull) => pull.head === branch);
  return first;
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
  return pullOf(github, data as PullData);
}

/** Gives a pull request another title and body. */
export async function updatePull(github: GitHub, number: number, text: PullText): Promise<void> {
  await github.request("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", {
    ...github.at,
    pull_number: number,
    ...text,
  });
}

/** Takes a draft out of its state, or puts a pull request into it: only GraphQL can. */
export async function setDraft(github: GitHub, { nodeId }: Pull, draft: boolean): Promise<void> {
  const name = draft ? "convertPullRequestToDraft" : "markPullRequestReadyForReview";
  const query = `mutation($id: ID!) { ${name}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`;
  await github.request("POST /graphql", { query, variables: { id: nodeId } });
}

/** Adds labels; those that do not exist are made by GitHub. */
export async function addLabels(github: GitHub, number: number, labels: readonly string[]): Promise<void> {
  if (labels.length === 0) return;
  await github.request("POST /repos/{owner}/{repo}/issues/{issue_number}/labels", {
    ...github.at,
    issue_number: number,
    labels: [...labels],
  });
}

function pullOf(
  { at }: GitHub,
  { number, html_url, state, draft = false, node_id, head, base }: PullData,
): Pull {
  return {
    number,
    url: html_url,
    state,
    draft,
    nodeId: node_id,
    head: head.ref,
    headSha: head.sha,
    base: base.ref,
    baseSha: base.sha,
    isOwn: head.repo?.full_name.toLowerCase() === `${at.owner}/${at.repo}`.toLowerCase(),
  };
}
