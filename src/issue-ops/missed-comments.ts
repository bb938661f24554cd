import { z } from "zod";
import { authorOf } from "./comment-replies.ts";
import { onComment } from "./on-comment.ts";
import type { RepositoryContext } from "./repository-context.ts";

const comments = z.array(
  z.object({
    id: z.number(),
    body: z.string().nullish(),
    user: z.object({ login: z.string(), type: z.string() }).nullish(),
    created_at: z.string(),
    updated_at: z.string(),
    issue_url: z.string(),
    reactions: z.object({ eyes: z.number() }).optional(),
  }),
);

type Comment = z.output<typeof comments>[number];

/**
 * Commands without a reaction: the process that got the webhook was killed after its response, and GitHub does not
 * send it again. They are marked with 👀 first. Returns the ids of the comments.
 */
export async function answerMissed(site: RepositoryContext, graceMs: number): Promise<readonly number[]> {
  const { api, owner, repo } = site;
  const now = Date.parse(site.now());
  const route = "GET /repos/{owner}/{repo}/issues/comments";
  const since = new Date(now - longestMs).toISOString();
  const lately = { since, sort: "created", direction: "desc", per_page: 100 };
  const { data } = await api.request(route, { owner, repo, ...lately });
  const missed = comments
    .parse(data)
    .filter((comment) => isMissed(comment, now - graceMs, now - longestMs))
    .toSorted((a, b) => a.id - b.id);
  for (const comment of missed) await answer(site, comment);
  return missed.map(({ id }) => id);
}

/** An older command surprises more than it helps. */
const longestMs = 24 * 60 * 60_000;

/** A comment that was edited since may have been edited by another person. */
function isMissed({ body, reactions, ...comment }: Comment, before: number, after: number): boolean {
  const at = Date.parse(comment.created_at);
  const isCommand = body?.startsWith("/workflow") === true && reactions?.eyes === 0;
  return isCommand && at <= before && at >= after && comment.created_at === comment.updated_at;
}

async function answer(site: RepositoryContext, { issue_url: url, ...comment }: Comment): Promise<void> {
  const pull = Number(/\/(\d+)$/.exec(url)?.[1]);
  const { author, isOnIssue } = await authorOf(site, pull);
  await onComment(site, {
    id: comment.id,
    body: comment.body ?? "",
    by: comment.user?.login ?? "",
    isBot: comment.user?.type !== "User",
    at: comment.created_at,
    pull,
    isOnIssue,
    author,
  });
}
