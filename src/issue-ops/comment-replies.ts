import { z } from "zod";
import { askIfThere, statusOf } from "../github/api.ts";
import { jobLogin } from "../github/client.ts";
import { githubOf, type IncomingComment, isOurs, type RepositoryContext } from "./repository-context.ts";

/** Marks what the app wrote. */
const marker = "<!-- until-green -->";

export type Reaction = "eyes" | "rocket" | "+1" | "confused";

/**
 * Puts a mark on a comment; `true` for the first time by us. A mark that cannot be put stops nothing, but who deleted a
 * comment took its command back.
 */
export async function react(site: RepositoryContext, comment: number, content: Reaction): Promise<boolean> {
  return (await putMark(site, comment, content)).isNew;
}

/**
 * Marks a comment with 👀; `true` if nobody of us has taken it up before. A sweep by a job writes with another login than
 * the app, and takes up comments that have waited.
 */
export async function takeUp(site: RepositoryContext, { id, at }: IncomingComment): Promise<boolean> {
  const { isNew, by } = await putMark(site, id, "eyes");
  if (!isNew || by === jobLogin || Date.parse(site.now()) - Date.parse(at) < shortestWaitMs) return isNew;
  const marks = await marksOn(site, id, "eyes").catch((): readonly string[] => []);
  return marks?.includes(jobLogin) === false;
}

/** A sweep leaves younger comments to their webhook. */
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

/** A sentence that may quote a file or a record: without markup and mentions. */
export const quoted = (text: string) => text.replace(/[`<>@#[\]\\]/g, "");

/** Answers a comment in one line. The text is ours: nothing of a stranger's goes into it unescaped. */
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

/** A press of a button on a run's check. */
export interface Pressed {
  readonly pull: number;
  readonly by: string;
  readonly kind: string;
  /** Identifies this press, however often it is delivered. */
  readonly said: string;
}

/** Says no to a press, which leaves no comment to mark: the answer itself says which press it is for, so there is one. */
export async function refusePress(
  site: RepositoryContext,
  { pull, by, kind, said }: Pressed,
  because: string,
): Promise<void> {
  site.count("refusals");
  const marker = `<!-- until-green press=${said} -->`;
  const text = `${marker}\n😕 To \`${by}\`, who pressed ${kind}: ${because}.`;
  try {
    const { keepComment } = await import("../github/index.ts");
    const of = { issue: pull, marker, by: [await site.login()] };
    await keepComment(githubOf(site), { ...of, write: (before) => before ?? text });
  } catch {
    site.count("faults");
  }
}

/** Says no to a comment: a mark, and the reason, once. */
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
 * Whether we refused a comment: it stays refused if it is delivered again, even if it would be allowed by then. One that
 * was deleted counts as refused.
 */
export async function isRefused(site: RepositoryContext, comment: number): Promise<boolean> {
  const marks = await marksOn(site, comment, "confused");
  if (marks === undefined) return true;
  for (const login of marks) if (await isOurs(site, login)) return true;
  return false;
}

/** Who put a mark on a comment; `undefined` if the comment is gone. */
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
  const found = await askIfThere(api, "GET /repos/{owner}/{repo}/pulls/{pull}", at);
  const opened = found ?? (await api.request("GET /repos/{owner}/{repo}/issues/{pull}", at)).data;
  const { user, head } = openedSchema.parse(opened);
  return { author: user?.login ?? "", head: head?.sha, isOnIssue: found === undefined };
}
