import { z } from "zod";
import { commandNamed } from "../decisions/commands/table.ts";
import { parseComment } from "../decisions/parse-comment.ts";
import { authorOf, refuse } from "./comment-replies.ts";
import { onComment } from "./on-comment.ts";
import { incomingComment, issueComment, numberIn } from "./read-comments.ts";
import type { RepositoryContext } from "./repository-context.ts";

const comments = z.array(
  issueComment.extend({
    issue_url: z.string(),
    reactions: z
      .object({ eyes: z.number(), "+1": z.number(), rocket: z.number(), confused: z.number() })
      .partial()
      .optional(),
  }),
);

type Comment = z.output<typeof comments>[number];

/**
 * Handles commands without a reaction: the process that got the webhook was killed after its response, and GitHub does
 * not send it again. They are marked with 👀 first. A command with only 👀 was cut off: a decision is executed if the
 * record does not have it; for other commands, people are asked to repeat them. Returns the ids of the comments.
 */
export async function answerMissed(site: RepositoryContext, graceMs: number): Promise<readonly number[]> {
  const { api, owner, repo } = site;
  const now = Date.parse(site.now());
  const route = "GET /repos/{owner}/{repo}/issues/comments";
  const since = new Date(now - longestMs).toISOString();
  const newestFirst = { since, sort: "created", direction: "desc", per_page: 100 };
  const { data } = await api.request(route, { owner, repo, ...newestFirst });
  const open = comments
    .parse(data)
    .filter((comment) => isOpen(comment, now - graceMs, now - longestMs))
    .toSorted((a, b) => a.id - b.id);
  const done: number[] = [];
  for (const comment of open) {
    if (comment.reactions?.eyes === 0 || isSafeToRepeat(comment)) await answer(site, comment);
    else if (Date.parse(comment.created_at) <= now - longestJobMs) await giveUp(site, comment);
    else continue;
    done.push(comment.id);
  }
  return done;
}

/**
 * A job started by a comment marks it again when the run pauses. GitHub ends jobs on its own runners after this time.
 */
const longestJobMs = 6 * 60 * 60_000;

function isSafeToRepeat({ body }: Comment): boolean {
  const parsed = parseComment(body ?? "");
  const command = parsed !== undefined && "kind" in parsed ? commandNamed(parsed.kind) : undefined;
  return command?.about === "run" && command.staysVisible === true;
}

const giveUp = (site: RepositoryContext, { id, issue_url: url }: Comment) =>
  refuse(
    site,
    { id, pull: numberIn(url) },
    "this command was begun and cut off: see whether it was executed, and comment again if it was not",
  );

/** Executing an older command would surprise people. */
const longestMs = 24 * 60 * 60_000;

/** An edited comment may have been edited by another person. */
function isOpen({ body, reactions, ...comment }: Comment, before: number, after: number): boolean {
  const at = Date.parse(comment.created_at);
  const { "+1": done = 0, rocket = 0, confused = 0 } = reactions ?? {};
  const isCommand = body?.startsWith("/workflow") === true && reactions?.eyes !== undefined;
  return (
    isCommand &&
    done + rocket + confused === 0 &&
    at <= before &&
    at >= after &&
    comment.created_at === comment.updated_at
  );
}

async function answer(site: RepositoryContext, comment: Comment): Promise<void> {
  const pull = numberIn(comment.issue_url);
  const { author, isOnIssue } = await authorOf(site, pull);
  await onComment(site, incomingComment(comment, { pull, isOnIssue, author }));
}
