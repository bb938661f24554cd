import { decisionOf } from "../decisions/answer.ts";
import { parseComment, type RunCommand } from "../decisions/parse-comment.ts";
import type { RunStatus } from "../status/run-status.ts";
import type { Rules } from "./config.ts";
import { namesAnother } from "./names-another.ts";
import { mayCommand, mayDecide, same } from "./permissions.ts";
import { commentsOn, type IssueComment } from "./read-comments.ts";
import type { RepositoryContext } from "./repository-context.ts";

/** An approval of a gate that needs several. */
export interface Vote {
  readonly run: string;
  readonly rules: Rules;
  readonly pull: number;
  /** The approver, who counts without a comment. */
  readonly by: string;
  /** The author of the pull request. */
  readonly author: string;
  /** When the gate opened, in ISO 8601. */
  readonly since: string;
  /** Later comments do not count. */
  readonly until?: string | undefined;
  /** Whether an approval applies to the gate; default always. */
  counts?(approval: { readonly id: number; readonly gate: string | undefined }): boolean;
}

/**
 * How many more people must approve besides the given one. Counted from the comments on the pull request, since the
 * app stores nothing. Edited comments, and people who no longer have permission, do not count.
 */
export async function missingVotes(site: RepositoryContext, vote: Vote): Promise<number> {
  const { rules, author } = vote;
  let missing = rules.minimum - 1;
  const counted = new Set<string>();
  const { pull, since } = vote;
  for await (const comment of commentsOn(site, { pull, since, pages: mostPages })) {
    if (missing === 0) break;
    const { login, command } = approvalIn(comment, vote) ?? {};
    if (login === undefined || command === undefined || counted.has(login)) continue;
    if (await namesAnother(site, command, vote.run)) continue;
    counted.add(login);
    const no = (await mayCommand(site, rules, login)) ?? (await mayDecide(site, rules, { login, author }));
    if (no === undefined) missing--;
  }
  return missing;
}

/** At most 2,000 comments are read. */
export const mostPages = 20;

/** A test for approvals of the given gate of a run, or of its oldest one; `undefined` if there is no such gate. */
export function votesOn(
  { gates, decided = [] }: RunStatus,
  meant: string | undefined,
): Required<Pick<Vote, "since" | "counts">> | undefined {
  const [oldest] = gates;
  const named = gates.find(({ path, nonce }) => path === meant || nonce === meant);
  const gate = meant === undefined ? oldest : named;
  if (gate === undefined) return undefined;
  // Commands without a gate applied to the oldest gate at that time, and are used up once something is decided.
  const spent = Math.max(0, ...decided.map(({ source = "" }) => (isComment(source) ? Number(source) : 0)));
  return {
    since: gate.since,
    counts: (vote) =>
      vote.gate === undefined ? gate === oldest && vote.id > spent : vote.gate === gate.path,
  };
}

/** The id of a button press has another format. */
const isComment = (text: string) => /^[0-9]{1,15}$/.test(text);

interface Approval {
  readonly login: string;
  readonly command: RunCommand;
}

/** The approval in a comment, if it is unchanged and by another person. */
function approvalIn(
  { id, body, user, created_at: created, updated_at: updated }: IssueComment,
  { by, since, until, counts }: Vote,
): Approval | undefined {
  const at = Date.parse(created);
  const isLate = until !== undefined && at > Date.parse(until) + 1_000;
  if (at + 1_000 < Date.parse(since) || isLate || created !== updated) return undefined;
  const parsed = parseComment(body ?? "");
  if (parsed === undefined || !("word" in parsed) || decisionOf(parsed.kind) !== "approve") return undefined;
  if (user?.type !== "User" || same(user.login, by)) return undefined;
  if (counts?.({ id, gate: parsed.gate }) === false) return undefined;
  return { login: user.login.toLowerCase(), command: parsed };
}
