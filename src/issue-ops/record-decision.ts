import { type RunCommandName, runCommand } from "../decisions/commands/table.ts";
import type { Comment } from "../engine/command-events.ts";
import { conversationOf } from "../engine/log-events.ts";
import { statusOf } from "../github/api.ts";
import type { GitHub } from "../github/client.ts";
import { parseRunStatus } from "../status/run-status-schema.ts";
import type { Tip } from "../stores/rest/tip.ts";
import { applyDecision, type DecisionResult } from "./apply-decision.ts";
import { quoted, react, refuse, refusePress, reply } from "./comment-replies.ts";
import type { Rules } from "./config.ts";
import { missingVotes, votesOn } from "./count-approvals.ts";
import { dispatchJob, startAgain } from "./dispatch-job.ts";
import { retireNotices } from "./gate-notice.ts";
import { mayDecide } from "./permissions.ts";
import { readMarks } from "./read-marks.ts";
import { githubOf, type IncomingComment, type RepositoryContext } from "./repository-context.ts";
import { showRun } from "./update-status.ts";

/** A command about a run by a person with permission, by comment or button. */
export interface DecisionRequest {
  readonly run: string;
  readonly tip: Tip;
  readonly head: string | undefined;
  readonly kind: RunCommandName;
  readonly text: string;
  readonly rules: Rules;
  readonly by: string;
  /** The author of the pull request. */
  readonly author: string;
  readonly pull: number | undefined;
  /** The latest time of the command, in milliseconds since 1970. */
  readonly since: number;
  readonly gate: string | undefined;
  readonly anyway: boolean;
  /** The comment that carried it; `undefined` for a button. */
  readonly sourceComment: IncomingComment | undefined;
  readonly comment: Comment | undefined;
  /** Identifies the comment or the press, to recognize a second delivery. */
  readonly source: string;
}

/**
 * Records one decision by compare-and-append, and resumes the run. If several people decide a gate, one of them
 * succeeds.
 */
export async function recordDecision(site: RepositoryContext, order: DecisionRequest): Promise<void> {
  const no = await mayNot(site, order);
  if (no !== undefined) return await answer(site, order, no);
  const parsed = runCommand(order.kind).read?.(order.text) ?? { text: order.text };
  if ("unclear" in parsed) return await answer(site, order, parsed.unclear);
  return await append(site, { ...order, ...parsed });
}

async function append(site: RepositoryContext, order: Statement): Promise<void> {
  let { tip, head } = order;
  const lost = await rollbackMark(site, tip);
  if (lost !== undefined)
    return await answer(
      site,
      order,
      `the record of run \`${order.run}\` is older than \`${lost}\`, which its comment or its check shows: somebody moved it back. Restore the ref, or start a new run`,
    );
  for (let round = 1; ; round++) {
    const choice = applyDecision(tip, { ...order, head, at: site.now(), moved: order.rules.moved });
    if ("resumes" in choice) return;
    if ("repeated" in choice) return await repeated(site, order.sourceComment, tip);
    if ("refused" in choice) return await answer(site, order, choice.because);
    const more = { lines: choice.lines, owner, at: site.now(), state: choice.state };
    const mark = await site.runs.append(tip, more);
    if (mark !== undefined) return await recorded(site, order, { ...choice, mark });
    if (round === mostAttempts)
      return await answer(site, order, "too many updates to this run at once; please try again");
    const again = await site.look(order.run, { pull: order.pull });
    if (again.tip === undefined)
      return await answer(site, order, `the record of run \`${order.run}\` is gone`);
    [tip, head] = [again.tip, again.head ?? head];
  }
}

/** The command to decide on, with the step that a message is for. */
type Statement = DecisionRequest & { readonly step?: string };

/** The author of recorded decisions, for people. */
const owner = "the app";

/** Maximum retries when others write first. */
const mostAttempts = 50;

async function mayNot(site: RepositoryContext, order: DecisionRequest): Promise<string | undefined> {
  const { kind, rules, by, author } = order;
  const { who, decision } = runCommand(kind);
  if (who === "commanders") return undefined;
  const no = await mayDecide(site, rules, { login: by, author });
  if (no !== undefined || decision !== "approve" || rules.minimum === 1) return no;
  const missing = await missingApprovals(site, order);
  return missing === 0 ? undefined : `not decided yet: ${missing} more must approve`;
}

/** How many more approvals the gate needs; 0 if no pull request is known. */
async function missingApprovals(site: RepositoryContext, order: DecisionRequest): Promise<number> {
  const { tip, run, rules, pull, by, author, gate } = order;
  const status = parseRunStatus(tip.state["status"]);
  const votes = status === undefined ? undefined : votesOn(status, gate);
  if (pull === undefined || votes === undefined) return 0;
  return await missingVotes(site, { run, rules, pull, by, author, ...votes });
}

/** A redelivery changes nothing; a re-run of a job continues what its first attempt started. */
export async function repeated(
  site: RepositoryContext,
  sourceComment: Pick<IncomingComment, "id"> | undefined,
  { run, state }: Tip,
): Promise<void> {
  const status = parseRunStatus(state["status"]);
  if (status === undefined || !site.isRerun) return;
  const hasEnded = status.summary.state === "ended";
  // The first attempt may have been lost before it showed the end.
  if (hasEnded) await site.showEnd?.(status);
  const isDone = hasEnded || (await startAgain(site, { run, status }));
  if (isDone && sourceComment !== undefined) await react(site, sourceComment.id, "+1");
}

type Done = Extract<DecisionResult, { readonly lines: readonly string[] }>;

async function recorded(
  site: RepositoryContext,
  order: DecisionRequest,
  { isShown, status, mark }: Done & { readonly mark: string },
): Promise<void> {
  if (isShown !== undefined) return await answer(site, order, isShown);
  site.count("decisions");
  const dispatch = await dispatchJob(site, order, status);
  // A running job shows its run itself, and would not notice an edit by others.
  if (dispatch.how === "dispatched" || dispatch.how === "failed") await showRun(site, status, { mark });
  const { sourceComment, pull } = order;
  if (pull !== undefined) await retireNotices(site, { status, pull }).catch(() => site.count("faults"));
  if (sourceComment === undefined) return;
  if ("because" in dispatch)
    await reply(
      site,
      sourceComment.pull,
      `⏳ Recorded, but run \`${order.run}\` was not started: ${quoted(dispatch.because)}.`,
    );
  await react(site, sourceComment.id, dispatch.how === "dispatched" ? "rocket" : "+1");
}

async function answer(
  site: RepositoryContext,
  { sourceComment, pull, ...order }: DecisionRequest,
  because: string,
): Promise<void> {
  if (sourceComment !== undefined) await refuse(site, sourceComment, because);
  // A run without a pull request has no place for a reply.
  else if (pull !== undefined) await refusePress(site, { ...order, pull }, because);
}

/**
 * A commit that the comment or a check of a run has shown, but its signed record lacks: somebody rolled the record
 * back. `undefined` if there is none, or if records are not signed here.
 */
async function rollbackMark(site: RepositoryContext, tip: Tip): Promise<string | undefined> {
  const status = site.isSealed ? parseRunStatus(tip.state["status"]) : undefined;
  if (status === undefined) return undefined;
  const { summary, comment, origin } = status;
  const github = githubOf(site);
  const shown = { run: summary, pull: conversationOf(origin), comment, heads: [origin?.head] };
  for (const mark of await readMarks(github, shown))
    if (!(await isBelow(github, mark, tip.commit))) return mark;
  return undefined;
}

async function isBelow(github: GitHub, mark: string, tip: string): Promise<boolean> {
  if (mark === tip) return true;
  const { readMergeBase } = await import("../github/index.ts");
  try {
    return (await readMergeBase(github, mark, tip)) === mark;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}
