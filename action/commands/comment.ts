import { z } from "zod";
import {
  commandLimit,
  type IncomingComment,
  incomingComment,
  isOverCommandLimit,
  onComment,
} from "../../src/api/github.ts";
import { conversationOf, type RunStatus } from "../../src/api/runs.ts";
import { siteOf } from "../github/issue-ops.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, NothingToDoError, RefusedError } from "../job/job.ts";
import { isRerun } from "../job/run-origin.ts";
import { nothingToDo, passedOver, type StepResult } from "../result/step-result.ts";
import { showAgain } from "./rerun.ts";
import { resumeRun } from "./resume.ts";

/** `command: comment`: executes the command of a pull request comment, and resumes its run in this job. */
export async function handleComment(inputs: Inputs, job: Job): Promise<StepResult> {
  const comment = commentIn(job);
  if (comment === undefined)
    return passedOver("this job was not started by a comment, so there is nothing to do");
  let ending: StepResult | undefined;
  const counts = new Map<string, number>();
  const site = siteOf(inputs, job, {
    count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    isRerun: isRerun(job),
    async wake(run) {
      try {
        ending = await resumeRun(run, inputs, job);
        return undefined;
      } catch (error) {
        if (!(error instanceof NothingToDoError)) throw error;
        ending = nothingToDo(error);
        return error.message;
      }
    },
    showEnd: (status) => showAgain(onConversation(status, comment), inputs, job),
  });
  if (site === undefined)
    throw new RefusedError(
      "`command: comment` checks the commenter's permission with GitHub: set `github-token`, and give the job `permissions: contents: write, issues: write, pull-requests: write`",
    );
  if (comment.body.startsWith("/workflow") && (await isOverCommandLimit(site, comment)))
    return passedOver(
      `the comment was ignored: ${comment.by} has used ${commandLimit.most} commands within ten minutes`,
    );
  await onComment(site, comment);
  if (ending !== undefined) return ending;
  // People notice a failed job. They would not notice that the run of a green one never started.
  if (counts.has("failed_dispatches"))
    throw new RefusedError(
      "the job that the comment asks for could not be started; see the reply on the pull request",
    );
  const what = counts.has("refusals") ? "the comment was refused; see the reply on the pull request" : "";
  return passedOver(
    counts.has("commands") ? what || "the comment was processed" : "the comment is not for until-green",
  );
}

/** A run that belongs to no pull request or issue is shown where its command was given. */
function onConversation(status: RunStatus, { pull, isOnIssue }: IncomingComment): RunStatus {
  const { origin } = status;
  if (origin === undefined || conversationOf(origin) !== undefined) return status;
  return { ...status, origin: { ...origin, ...(isOnIssue ? { issue: pull } : { pull }) } };
}

const event = z.object({
  action: z.literal("created"),
  comment: z.object({
    id: z.int(),
    body: z.string(),
    created_at: z.string(),
    user: z.object({ login: z.string(), type: z.string() }),
  }),
  issue: z.object({
    number: z.int(),
    pull_request: z.object({}).nullish(),
    user: z.object({ login: z.string() }).nullish(),
  }),
  sender: z.object({ login: z.string() }),
});

/** The comment that started this job; `undefined` if it was edited or deleted. */
function commentIn({ env, event: started }: Job): IncomingComment | undefined {
  if (env["GITHUB_EVENT_NAME"] !== "issue_comment") return undefined;
  const read = event.safeParse(started);
  if (!read.success || read.data.sender.login !== read.data.comment.user.login) return undefined;
  const { comment, issue } = read.data;
  const author = issue.user?.login ?? "";
  return incomingComment(comment, { pull: issue.number, isOnIssue: !issue.pull_request, author });
}
