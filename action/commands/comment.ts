import { z } from "zod";
import { onComment } from "../../app/on-comment.ts";
import type { Remark } from "../../app/site.ts";
import type { Ending } from "../ending/ending.ts";
import { siteOf } from "../hosting/app-site.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { resumeRun } from "./resume.ts";

/** `command: comment`: does what a comment on a pull request asks for, and goes on with its run in this very job. */
export async function obeyComment(inputs: Inputs, job: Job): Promise<Ending> {
  const remark = remarkIn(job);
  if (remark === undefined)
    return nothing("no comment on a pull request was made, so there is nothing to do");
  let ending: Ending | undefined;
  const counts = new Map<string, number>();
  const site = siteOf(inputs, job, {
    count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    async wake(run) {
      ending = await resumeRun(run, inputs, job);
    },
  });
  if (site === undefined)
    throw new RefusedError(
      "`command: comment` asks GitHub who may: give `github-token`, and the job `permissions: contents: write, issues: write, pull-requests: write`",
    );
  await onComment(site, remark);
  if (ending !== undefined) return ending;
  // Nobody would look at a green job for a run that never began.
  if (counts.has("failed_dispatches"))
    throw new RefusedError(
      "the job that the comment asks for could not be started; the answer on the pull request says why",
    );
  const what = counts.has("refusals")
    ? "the comment was refused; the answer on the pull request says why"
    : "";
  return nothing(
    counts.has("commands") ? what || "the comment was dealt with" : "the comment is not for until-green",
  );
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
    pull_request: z.object({}),
    user: z.object({ login: z.string() }).nullish(),
  }),
  sender: z.object({ login: z.string() }),
});

/** The comment that started this job; nothing for one that was edited or deleted, or stands on an issue. */
function remarkIn({ env, event: started }: Job): Remark | undefined {
  if (env["GITHUB_EVENT_NAME"] !== "issue_comment") return undefined;
  const read = event.safeParse(started);
  if (!read.success || read.data.sender.login !== read.data.comment.user.login) return undefined;
  const { comment, issue } = read.data;
  return {
    id: comment.id,
    body: comment.body,
    by: comment.user.login,
    isBot: comment.user.type !== "User",
    at: comment.created_at,
    pull: issue.number,
    author: issue.user?.login ?? "",
  };
}

const nothing = (because: string): Ending => ({
  conclusion: "skipped",
  stopReason: "not-selected",
  page: `### ⏭️ ${because[0]?.toUpperCase()}${because.slice(1)}`,
  annotations: [{ level: "notice", title: "until-green", message: because }],
});
