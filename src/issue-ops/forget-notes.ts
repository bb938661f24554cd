import { z } from "zod";
import { goalRefs } from "../github/goal-ref.ts";
import { inMarkdown } from "../render/escape.ts";
import { changeGoal } from "../series/change-goal.ts";
import type { GoalNote } from "../series/record.ts";
import { react, refuse, reply } from "./comment-replies.ts";
import type { IncomingComment, RepositoryContext } from "./repository-context.ts";

/**
 * Removes notes that attempts left for later ones: the one with this number, as numbered in the pull request, or all.
 */
export async function forgetNotes(
  site: RepositoryContext,
  { pull, by, ...comment }: IncomingComment,
  number: number | undefined,
): Promise<void> {
  const { api, owner, repo } = site;
  if (comment.isOnIssue === true)
    return await refuse(site, { ...comment, pull }, "notes belong to a branch: say it on its pull request");
  const { data } = await api.request("GET /repos/{owner}/{repo}/pulls/{pull}", { owner, repo, pull });
  const goal = pullSchema.parse(data).head.ref;
  let gone: readonly GoalNote[] = [];
  const { notes } = await changeGoal(goalRefs({ api, owner, repo }), {
    goal,
    message: `${by} removes notes`,
    change(record) {
      gone = record.notes.filter((_, at) => number === undefined || at + 1 === number);
      const kept = record.notes.filter((note) => !gone.includes(note));
      return gone.length === 0 ? undefined : { ...record, notes: kept };
    },
  });
  if (gone.length === 0)
    return await refuse(
      site,
      { ...comment, pull },
      notes.length === 0 ? "this pull request has no notes" : `there is no note ${number}${listOf(notes)}`,
    );
  const left = notes.length === 0 ? "." : `. Left:${listOf(notes)}`;
  await reply(site, pull, `Forgot ${gone.length} ${gone.length === 1 ? "note" : "notes"}${left}`);
  await react(site, comment.id, "+1");
}

const pullSchema = z.object({ head: z.object({ ref: z.string() }) });

const listOf = (notes: readonly GoalNote[]) =>
  `\n\n${notes.map(({ text }, at) => `${at + 1}. ${inMarkdown(text)}`).join("\n")}\n\n`;
