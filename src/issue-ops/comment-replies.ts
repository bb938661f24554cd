import { z } from "zod";
import { askIfThere, statusOf } from "../github/api.ts";
import { jobLogin } from "../github/client.ts";
import { githubOf, type IncomingComment, isOurs, type RepositoryContext } from "./repository-context.ts";

/** Marks comments by the app. */
const marker = "<!-- until-green -->";

export type Reaction = "eyes" | "rocket" | "+1" | "confused";

/**
 * Adds a reaction to a comment; true if we had not added it before. Failures are ignored, except that a deleted
 * comment revokes its command.
 */
export async function react(site: RepositoryContext, comment: number, content: Reaction): Promise<boolean> {
  return (await putMark(site, comment, content)).isNew;
}

/**
 * Marks a comment with 👀; `true` if no process of ours has taken it up before. A sweep by a job has another login
 * than the app, and takes up comments that have waited.
 */
export async function takeUp(site: RepositoryContext, { id, at }: IncomingComment): Promise<boolean> {
  const { isNew, by } = await putMark(site, id, "eyes");
  if (!isNew || by === jobLogin || Date.parse(site.now()) - Date.parse(at) < shortestWaitMs) return isNew;
  const marks = await marksOn(site, id, "eyes").catch((): readonly string[] => []);
  return marks?.includes(jobLogin) === false;
}

/** A sweep leaves newer comments to their webhook. */
export const shortestWaitMs = 120_000;

async function putMark(
  { api, owner, repo, count }: RepositoryContext,
  comment: number,
  content: Reaction,
): Promise<{ readonly isNew: boolean; readonly by?: string | undefined }> {
  const route = "POST /repos/{owner}/{repo}/issues/comments/{comment}/reactions";
  try {
    const { status, data } = await api.request(route, { owner, repo, comment, content });
    return { isNew: status !== 200, by: reaction.safeParse(data).data?.user?.login };
  } catch (error) {
    if (statusOf(error) === 404) return { isNew: false };
    count("faults");
    return { isNew: true };
  }
}

/** A sentence that may quote a file or a record, without markup and mentions. */
export const quoted = (text: string) => text.replace(/[`<>@#[\]\\]/g, "");

/** Replies to a comment in one line. The text is ours: untrusted text in it must be escaped. */
export async function reply(
  { api, owner, repo, count }: RepositoryContext,
  pull: number,
  text: string,
): Promise<void> {
  const route = "POST /repos/{owner}/{repo}/issues/{pull}/comments";
  try {
    await api.request(route, { owner, repo, pull, body: `${marker}\n${text}` });
  } catch {
    count("faults");
  }
}

/** A button press on a run's check. */
export interface Pressed {
  readonly pull: number;
  readonly by: string;
  readonly kind: string;
  /** Identifies this press across deliveries. */
  readonly source: string;
}

/**
 * Refuses a button press. There is no comment to mark, so the reply itself contains the press's id and is posted
 * once.
 */
export async function refusePress(
  site: RepositoryContext,
  { pull, by, kind, source }: Pressed,
  because: string,
): Promise<void> {
  site.count("refusals");
  const marker = `<!-- until-green press=${source} -->`;
  const text = `${marker}\n😕 To \`${by}\`, who pressed ${kind}: ${because}.`;
  try {
    const { keepComment } = await import("../github/index.ts");
    const of = { issue: pull, marker, by: [await site.login()] };
    await keepComment(githubOf(site), { ...of, write: (before) => before ?? text });
  } catch {
    site.count("faults");
  }
}

/** Refuses a comment: a reaction, and the reason, once. */
export async function refuse(
  site: RepositoryContext,
  { id, pull, isFirst }: Pick<IncomingComment, "id" | "pull" | "isFirst">,
  because: string,
): Promise<void> {
  if ((await isFirst) === false) return;
  site.count("refusals");
  if (await react(site, id, "confused")) await reply(site, pull, `😕 ${because}.`);
}

const reaction = z.object({ user: z.object({ login: z.string() }).nullish() });

/**
 * True if we refused a comment: it stays refused if it is delivered again, even if it would be allowed by then. A
 * deleted comment counts as refused.
 */
export async function isRefused(site: RepositoryContext, comment: number): Promise<boolean> {
  const marks = await marksOn(site, comment, "confused");
  if (marks === undefined) return true;
  for (const login of marks) if (await isOurs(site, login)) return true;
  return false;
}

/** Who added a reaction to a comment; `undefined` if the comment was deleted. */
async function marksOn(
  { api, owner, repo }: RepositoryContext,
  comment: number,
  content: Reaction,
): Promise<readonly (string | undefined)[] | undefined> {
  const route = "GET /repos/{owner}/{repo}/issues/comments/{comment}/reactions";
  const data = await askIfThere(api, route, { owner, repo, comment, content, per_page: 100 });
  return data === undefined
    ? undefined
    : z
        .array(reaction)
        .parse(data)
        .map(({ user }) => user?.login);
}

const openedSchema = z.object({
  user: z.object({ login: z.string() }).nullish(),
  head: z.object({ sha: z.string() }).optional(),
});

/** The author and the head of a pull request; an issue has no head. */
export async function authorOf(
  { api, owner, repo }: RepositoryContext,
  pull: number,
): Promise<{ readonly author: string; readonly head: string | undefined; readonly isOnIssue: boolean }> {
  const at = { owner, repo, pull };
  const response = await askIfThere(api, "GET /repos/{owner}/{repo}/pulls/{pull}", at);
  const opened = response ?? (await api.request("GET /repos/{owner}/{repo}/issues/{pull}", at)).data;
  const { user, head } = openedSchema.parse(opened);
  return { author: user?.login ?? "", head: head?.sha, isOnIssue: response === undefined };
}
