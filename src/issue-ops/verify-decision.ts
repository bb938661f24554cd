import { z } from "zod";
import { runCommand, runCommands } from "../decisions/commands/table.ts";
import { parseComment } from "../decisions/parse-comment.ts";
import type { CommandEvent, Comment } from "../engine/command-events.ts";
import { askIfThere } from "../github/api.ts";
import { authorOf } from "./comment-replies.ts";
import { type Rules, rulesOf } from "./config.ts";
import { missingVotes } from "./count-approvals.ts";
import { namesAnother, namesItself } from "./names-another.ts";
import { mayCommand, mayDecide, same } from "./permissions.ts";
import { numberIn } from "./read-comments.ts";
import { hashOf, type RepositoryContext } from "./repository-context.ts";

/** A recorded decision of a person about a run, by comment or button. */
export interface RecordedDecision {
  readonly run: string;
  readonly type: CommandEvent["type"];
  readonly decision?: "approve" | "reject" | undefined;
  readonly by: string;
  readonly text: string;
  /** A button leaves none. */
  readonly comment?: Comment | undefined;
  /** The name of the workflow of loops. */
  readonly workflow: string | undefined;
  /** When they said it, in ISO 8601. */
  readonly at?: string | undefined;
  /** When the gate they decided opened, in ISO 8601. */
  readonly since?: string | undefined;
  /** The pull request of the run; comments on another pull request do not count. */
  readonly pull?: number | undefined;
}

/**
 * Why a recorded decision is not genuine, as a sentence; `undefined` if it is. Anyone with write access to the
 * repository can write a record, so the comment is read again: it must exist, be unchanged and by that person, who
 * must still have permission.
 */
export async function verifyDecision(
  site: RepositoryContext,
  recorded: RecordedDecision,
): Promise<string | undefined> {
  try {
    const { comment } = recorded;
    if (comment === undefined) return await doubtOfButton(site, recorded);
    const current = await readComment(site, comment.id);
    if (current === undefined) return `comment ${comment.id} is gone`;
    const inComment = { ...recorded, comment, content: current };
    return (await doubtOfComment(site, inComment)) ?? (await doubtOfPerson(site, inComment));
  } catch (error) {
    return `GitHub could not be asked about it (${error instanceof Error ? error.message : "no answer"})`;
  }
}

/** Verifies the comment with which a run was started, in the same way. */
export async function verifyStartMessage(
  site: RepositoryContext,
  { workflow, comment }: { readonly workflow: string; readonly comment: Comment },
): Promise<{ readonly message: string } | { readonly doubt: string }> {
  const current = await readComment(site, comment.id);
  if (current === undefined) return { doubt: `comment ${comment.id} is gone` };
  const { body, user } = current;
  if (hashOf(body ?? "") !== comment.sha256) return { doubt: `comment ${comment.id} was edited since` };
  const parsed = parseComment(body ?? "");
  if (parsed === undefined || !("name" in parsed) || parsed.name.replace(/\.ya?ml$/, "") !== workflow)
    return { doubt: `comment ${comment.id} says something else` };
  const no = await mayCommand(site, rulesOf(await site.config(), workflow), user?.login ?? "");
  return no === undefined ? { message: parsed.text } : { doubt: `${user?.login} may not: ${no}` };
}

const schema = z.object({
  body: z.string().nullish(),
  user: z.object({ login: z.string(), type: z.string() }).nullish(),
  issue_url: z.string(),
});

async function readComment({ api, owner, repo }: RepositoryContext, comment: number) {
  const route = "GET /repos/{owner}/{repo}/issues/comments/{comment}";
  return schema.optional().parse(await askIfThere(api, route, { owner, repo, comment }));
}

type InComment = RecordedDecision & {
  readonly comment: Comment;
  /** The current comment. */
  readonly content: z.output<typeof schema>;
};

/**
 * A decision by button or at a terminal cannot be read again. Whoever may write the record may write any name into
 * it, so the name proves no more than write permission. It is accepted unless the rules ask for more than that.
 */
async function doubtOfButton(
  site: RepositoryContext,
  { by, type, workflow }: RecordedDecision,
): Promise<string | undefined> {
  const rules = rulesOf(await site.config(), workflow);
  if (!isForApprovers(type) || !isStrict(rules)) return undefined;
  if (!site.isSealed) return unprovable;
  const no = await mayCommand(site, rules, by);
  if (no !== undefined) return `${by} may not command: ${no}`;
  const not = await mayDecide(site, rules, { login: by, author: "" });
  return not === undefined ? undefined : `${by} may not decide: ${not}`;
}

/** True if deciding requires more than write permission to the repository, and so to the record. */
export const isStrict = ({ approvers, minimum, excludeAuthor }: Rules) =>
  approvers.length > 0 || minimum > 1 || excludeAuthor;

/** Why a decision without a comment is not accepted under strict rules. */
export const unprovable =
  "a button press cannot be verified if the configuration names approvers and records are not signed: decide in a comment, or set a state key";

async function doubtOfComment(site: RepositoryContext, comment: InComment): Promise<string | undefined> {
  const { content } = comment;
  const { body, user } = content;
  if (hashOf(body ?? "") !== comment.comment.sha256) return `comment ${comment.comment.id} was edited since`;
  if (!same(user?.login ?? "", comment.by)) return `comment ${comment.comment.id} is not by ${comment.by}`;
  if (comment.pull !== undefined && numberIn(content.issue_url) !== comment.pull)
    return `comment ${comment.comment.id} belongs to another pull request`;
  return (await saysSo(site, body ?? "", comment))
    ? undefined
    : `comment ${comment.comment.id} says something else`;
}

async function saysSo(site: RepositoryContext, body: string, recorded: RecordedDecision): Promise<boolean> {
  const parsed = parseComment(body);
  if (parsed === undefined || !("word" in parsed)) return false;
  const { event, decision, says = isSameText } = runCommand(parsed.kind);
  const text = namesItself(parsed.word, recorded.run) ? parsed.rest : parsed.text;
  if (await namesAnother(site, parsed, recorded.run)) return false;
  if (event !== recorded.type || decision !== (recorded.decision ?? decision)) return false;
  return says(recorded, text);
}

const isSameText = (recorded: RecordedDecision, text: string) => text === recorded.text;

/** True if whoever may use commands may not yet give the command that an event records. */
const isForApprovers = (type: CommandEvent["type"]) =>
  runCommands.some(({ event, who }) => event === type && who === "approvers");

async function doubtOfPerson(
  site: RepositoryContext,
  { run, by, type, decision, content, workflow, since, at }: InComment,
): Promise<string | undefined> {
  const rules = rulesOf(await site.config(), workflow);
  const no = await mayCommand(site, rules, by);
  if (no !== undefined) return `${by} may not command any more: ${no}`;
  if (!isForApprovers(type)) return undefined;
  const pull = numberIn(content.issue_url);
  const author = rules.excludeAuthor && pull > 0 ? (await authorOf(site, pull)).author : "";
  const not = await mayDecide(site, rules, { login: by, author });
  if (not !== undefined) return `${by} may not decide: ${not}`;
  if (rules.minimum === 1 || decision !== "approve" || since === undefined) return undefined;
  const missing = await missingVotes(site, { run, rules, pull, by, author, since, until: at });
  return missing === 0 ? undefined : `${missing} more must approve`;
}
