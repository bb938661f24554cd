import { gradeIn } from "../series/grade.ts";
import { parseRunStatus } from "../status/run-status-schema.ts";
import { react, refuse, reply } from "./comment-replies.ts";
import { rulesOf } from "./config.ts";
import { mayDecide } from "./permissions.ts";
import { githubOf, type IncomingComment, type RepositoryContext } from "./repository-context.ts";

/**
 * Accepts green work that a person has to review, by making its draft ready; the same as the button on the pull
 * request. Returns false if a pull request is no such draft, or that of another run than `run`.
 */
export async function acceptReview(
  site: RepositoryContext,
  comment: IncomingComment,
  run: string | undefined,
): Promise<boolean> {
  const { readMessage, readPull, setDraft } = await import("../github/index.ts");
  const github = githubOf(site);
  const pull = await readPull(github, comment.pull);
  if (!pull.draft || !pull.isOwn || pull.state !== "open") return false;
  const message = await readMessage(github, pull.headSha);
  if (gradeIn(message)?.review !== true) return false;
  const made = runIn(message);
  if (run !== undefined && made !== run) return false;
  const no = await whyNot(site, comment, made);
  if (no !== undefined) {
    await refuse(site, comment, no);
    return true;
  }
  await setDraft(github, pull, false);
  site.count("decisions");
  await reply(site, comment.pull, `✅ The work is accepted, so this pull request is ready for review.`);
  await react(site, comment.id, "+1");
  return true;
}

const runIn = (message: string) => /^Until-Green-Run: (\S+)$/m.exec(message)?.[1];

async function whyNot(
  site: RepositoryContext,
  { by, author }: IncomingComment,
  run: string | undefined,
): Promise<string | undefined> {
  const { tip } = run === undefined ? {} : await site.look(run);
  const workflow = parseRunStatus(tip?.state["status"])?.summary.workflow;
  const rules = rulesOf(await site.config(), workflow);
  const no = await mayDecide(site, rules, { login: by, author });
  if (no !== undefined || rules.minimum === 1) return no;
  return `${rules.minimum} people must approve here: review the pull request, then mark it as ready`;
}
