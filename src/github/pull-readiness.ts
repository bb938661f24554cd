import { z } from "zod";
import { firstPart } from "../ports/shorten.ts";
import type { GitHub } from "./client.ts";
import { readChecks } from "./pull-checks.ts";

interface PullHead {
  readonly number: number;
  readonly head: string;
  /** True for our own checks, which say nothing about the work. */
  isOwn(name: string): boolean;
}

/** The state of a pull request's checks and reviews. */
export async function readPullReadiness(github: GitHub, { number, head, isOwn }: PullHead) {
  const [seen, needsApproval, reviews] = await Promise.all([
    readChecks(github, head, isOwn),
    awaitsApproval(github, head),
    readReviews(github, number),
  ]);
  return { head, ...seen, needsApproval, ...reviews };
}

/**
 * True if workflow runs wait for approval, which GitHub reports as completed, without jobs. Since June 2026 runs for
 * pushes with a job's token do so.
 */
export async function awaitsApproval(github: GitHub, head: string): Promise<boolean> {
  const route = "GET /repos/{owner}/{repo}/actions/runs";
  const { data } = await github.request(route, { ...github.at, head_sha: head, per_page: 100 });
  return data.workflow_runs.some(
    ({ status, conclusion }) => conclusion === "action_required" || status === "action_required",
  );
}

const query = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    reviewDecision
    latestOpinionatedReviews(first: 50) { nodes { id state body authorAssociation author { login __typename } } }
    reviewThreads(first: 100) { nodes {
      id isResolved path line comments(first: 20) { nodes { body authorAssociation author { login __typename } } }
    } }
  } }
}`;

const threadComment = z.object({
  body: z.string().default(""),
  author: z.object({ login: z.string(), __typename: z.string().exactOptional() }).nullish(),
  authorAssociation: z.string().exactOptional(),
});

/**
 * True if an agent may act on a person's text: on a public repository anyone can comment. Apps were installed by the
 * owner.
 */
const isTrusted = ({ author, authorAssociation = "OWNER" }: z.output<typeof threadComment>) =>
  author?.__typename === "Bot" || ["OWNER", "MEMBER", "COLLABORATOR"].includes(authorAssociation);

const answer = z.object({
  repository: z.object({
    pullRequest: z.object({
      reviewDecision: z.string().nullish(),
      latestOpinionatedReviews: z.object({
        nodes: z.array(threadComment.extend({ id: z.string().default(""), state: z.string() })),
      }),
      reviewThreads: z.object({
        nodes: z.array(
          z.object({
            id: z.string(),
            isResolved: z.boolean(),
            path: z.string(),
            line: z.int().nullish(),
            comments: z.object({ nodes: z.array(threadComment) }),
          }),
        ),
      }),
    }),
  }),
});

/** Reviews that request changes, and open threads, by people who may write. */
export async function readReviews(github: GitHub, number: number) {
  const response = answer.parse(await github.graphql(query, { ...github.at, number }));
  const { reviewDecision, latestOpinionatedReviews, reviewThreads } = response.repository.pullRequest;
  const reviews = latestOpinionatedReviews.nodes;
  const states = reviews.map(({ state }) => state);
  const isFree = states.includes("APPROVED") && !states.includes("CHANGES_REQUESTED");
  return {
    // Without required reviews, the decision is empty: it counts as approved if nothing is requested.
    isApproved: reviewDecision === "APPROVED" || (!reviewDecision && isFree),
    // The latest reviews that request changes.
    requests: reviews
      .filter((review) => review.state === "CHANGES_REQUESTED" && isTrusted(review))
      .map(({ id, author, body }) => ({
        id,
        by: author?.login ?? "somebody",
        isApp: author?.__typename !== "User",
        text: firstPart(body, 4_000),
      })),
    threads: reviewThreads.nodes
      .map(({ comments, ...thread }) => ({ ...thread, nodes: comments.nodes.filter(isTrusted) }))
      .filter(({ isResolved, nodes }) => !isResolved && nodes.length > 0)
      .map(({ id, path, line, nodes }) => ({
        id,
        path,
        line: line ?? undefined,
        by: nodes[0]?.author?.login ?? "somebody",
        text: firstPart(nodes.map(({ body }) => body).join("\n"), 4_000),
      })),
  };
}

/** Answers a review thread and resolves it. */
export async function resolveThread(github: GitHub, id: string, body: string): Promise<void> {
  await github.graphql(
    `mutation ($id: ID!, $body: String!) {
      addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: $id, body: $body }) { comment { id } }
      resolveReviewThread(input: { threadId: $id }) { thread { isResolved } }
    }`,
    { id, body },
  );
}
