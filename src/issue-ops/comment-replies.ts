import { z } from "zod";
import { askIfThere } from "../github/api.ts";
import { githubOf, type IncomingComment, isOurs, type RepositoryContext } from "./repository-context.ts";

/** Marks what the app wrote. */
const marker = "<!-- until-green -->";

export type Reaction = "eyes" | "rocket" | "+1" | "confused";

/** Puts a mark on a comment; `true` for the first time by us. A mark that cannot be put stops nothing. */
export async function react(
  { api, owner, repo, count }: RepositoryContext,
  comment: number,
  content: Reaction,
): Promise<boolean> {
  const route = "POST /repos/{owner}/{repo}/issues/comments/{comment}/reactions";
  try {
    return (await api.request(route, { owner, repo, comment, content })).status !== 200;
  } catch {
    count("faults");
    return true;
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

const reactions = z.array(z.object({ user: z.object({ login: z.string() }).nullish() }));

/** Whether we refused a comment: it stays refused if it is delivered again, even if it would be allowed by then. */
export async function isRefused(site: RepositoryContext, comment: number): Promise<boolean> {
  const { api, owner, repo } = site;
  const route = "GET /repos/{owner}/{repo}/issues/comments/{comment}/reactions";
  const { data } = await api.request(route, { owner, repo, comment, content: "confused", per_page: 100 });
  for (const { user } of reactions.parse(data)) if (await isOurs(site, user?.login)) return true;
  return false;
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
