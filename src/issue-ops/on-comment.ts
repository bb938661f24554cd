import type { RunCommandRow } from "../decisions/commands/command.ts";
import {
  commandNamed,
  type GeneralWords,
  type RunCommandName,
  runCommand,
} from "../decisions/commands/table.ts";
import { namesRun, type ParsedComment, parseComment, type RunCommand } from "../decisions/parse-comment.ts";
import { applyDecision } from "./apply-decision.ts";
import { isRefused, quoted, react, refuse, reply, takeUp } from "./comment-replies.ts";
import { ConfigError, type Rules, rulesOf } from "./config.ts";
import { dispatchJob } from "./dispatch-job.ts";
import { type Found, findRun } from "./find-run.ts";
import { isAllowedBot, mayCommand, same } from "./permissions.ts";
import { recordDecision, repeated } from "./record-decision.ts";
import { hashOf, type IncomingComment, type RepositoryContext } from "./repository-context.ts";

/** Executes the command in a comment, once, if its author has permission; ignores all other comments. */
export async function onComment(site: RepositoryContext, comment: IncomingComment): Promise<void> {
  const parsed = parseComment(comment.body);
  if (parsed === undefined || (comment.isBot && (await isMe(site, comment.by)))) return;
  // Bots are ignored unless the repository lists them.
  if (comment.isBot && !(await isAllowedBot(site, comment.by))) return;
  const request = { ...comment, isFirst: takeUp(site, comment) };
  try {
    await obey(site, request, parsed);
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      const detail = error instanceof Error ? `: ${quoted(error.message).slice(0, 300)}` : "";
      await refuse(site, request, `that could not be done just now; please try again${detail}`);
      throw error;
    }
    await refuse(
      site,
      request,
      `commands are disabled until \`.github/until-green.yml\` is valid: ${quoted(error.message)}`,
    );
  }
}

/** If our own login is unknown, a bot is accepted only if the repository lists it. */
const isMe = async (site: RepositoryContext, login: string) =>
  same(login, await site.login().catch(() => ""));

/**
 * A comment, and whether this is its first delivery. Commands that leave no trace in the record are executed only
 * then.
 */
type DeliveredComment = IncomingComment & { readonly isFirst: Promise<boolean> };

async function obey(
  site: RepositoryContext,
  comment: DeliveredComment,
  parsed: NonNullable<ParsedComment>,
): Promise<void> {
  site.count("commands");
  if ("unclear" in parsed) return await refuse(site, comment, parsed.unclear);
  if ("word" in parsed) await aboutRun(site, comment, parsed);
  else await aboutAll(site, comment, parsed);
  await comment.isFirst;
}

async function aboutAll(
  site: RepositoryContext,
  comment: DeliveredComment,
  words: GeneralWords,
): Promise<void> {
  const rules = rulesOf(await site.config(), undefined);
  const no = await mayCommand(site, rules, comment.by);
  if (no !== undefined) return await refuse(site, comment, no);
  if (!(await comment.isFirst)) return;
  const command = commandNamed(words.kind);
  const { commandHost } = await import("./command-host.ts");
  if (command?.about === "all") await command.act(commandHost(site, comment, rules), words);
}

async function aboutRun(
  site: RepositoryContext,
  comment: DeliveredComment,
  command: RunCommand,
): Promise<void> {
  const match = await findRun(site, command, comment);
  if ("repeated" in match) return await repeated(site, comment, match.repeated);
  const workflow = "refused" in match ? undefined : match.status.summary.workflow;
  const rules: Rules = rulesOf(await site.config(), workflow);
  // Check permission first, so that no reply reveals which runs exist.
  const no = await mayCommand(site, rules, comment.by);
  if (no !== undefined) return await refuse(site, comment, no);
  const { kind } = command;
  const row = runCommand(kind);
  if (row.acceptsDraft === true && (await acceptsDraft(site, comment, { command, match }))) return;
  const shown = "refused" in match ? match.items : [match];
  if (row.reply !== undefined && shown !== undefined)
    return await replyAbout(site, comment, { runs: shown, reply: row.reply });
  if ("refused" in match) return await refuse(site, comment, match.refused);
  if (row.event === undefined) return await resume(site, comment, { ...match, kind, rules });
  if (!(await comment.isFirst) && (await isDone(site, comment, kind))) return;
  await recordDecision(site, {
    ...match,
    kind,
    rules,
    by: comment.by,
    author: comment.author,
    pull: comment.pull,
    // Comments are dated to the second.
    since: Date.parse(comment.at) + 999,
    gate: command.gate,
    anyway: command.anyway,
    sourceComment: comment,
    comment: { id: comment.id, sha256: hashOf(comment.body) },
    source: String(comment.id),
  });
}

interface Meant {
  readonly command: RunCommand;
  readonly match: Exclude<Awaited<ReturnType<typeof findRun>>, { readonly repeated: unknown }>;
}

/** Nothing waits at a gate, but the pull request may be a draft that a person has to accept. */
async function acceptsDraft(
  site: RepositoryContext,
  comment: DeliveredComment,
  { command, match }: Meant,
): Promise<boolean> {
  // A command that names a run which is gone decides nothing else.
  const isOver = "refused" in match ? !namesRun(command) : match.status.summary.state === "ended";
  if (!isOver || comment.isOnIssue === true) return false;
  const run = "refused" in match ? undefined : match.run;
  return await (await import("./accept-review.ts")).acceptReview(site, comment, run);
}

/** What leaves no trace at the tip once the run has resumed is not executed again. */
const isDone = async (site: RepositoryContext, { id }: DeliveredComment, kind: RunCommandName) =>
  (runCommand(kind).staysVisible !== true && !site.isRerun) || (await isRefused(site, id));

interface Shown {
  readonly runs: readonly Pick<Found, "status">[];
  readonly reply: NonNullable<RunCommandRow["reply"]>;
}

async function replyAbout(
  site: RepositoryContext,
  comment: DeliveredComment,
  { runs, reply: textOf }: Shown,
): Promise<void> {
  if (!(await comment.isFirst)) return;
  const { shownRun } = await import("./command-host.ts");
  await reply(site, comment.pull, textOf(runs.map(({ status }) => shownRun(status))));
  await react(site, comment.id, "+1");
}

/** Resumes a run that no job drives, because its job died or its time was up. */
async function resume(
  site: RepositoryContext,
  comment: DeliveredComment,
  { run, tip, status, rules, kind }: Found & { readonly rules: Rules; readonly kind: RunCommandName },
): Promise<void> {
  if (!(await comment.isFirst) && !site.isRerun) return;
  const [at, since] = [site.now(), Date.parse(comment.at) + 999];
  const command = {
    kind,
    by: comment.by,
    text: "",
    at,
    since,
    source: String(comment.id),
  };
  const decision = applyDecision(tip, command);
  if ("refused" in decision) return await refuse(site, comment, decision.because);
  const dispatch = await dispatchJob(site, { run, rules, comment: undefined }, status);
  if (dispatch.how === "running")
    return await refuse(site, comment, `the job of run \`${run}\` is still running`);
  if (dispatch.how === "failed") return await refuse(site, comment, quoted(dispatch.because));
  await react(site, comment.id, dispatch.how === "dispatched" ? "rocket" : "+1");
}
