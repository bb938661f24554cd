import type { Remark, Site } from "./site.ts";

/** Marks what the app wrote. */
const marker = "<!-- until-green -->";

export type Mark = "eyes" | "rocket" | "+1" | "confused";

/** Puts a mark on a comment; `true` for the first time by us. A mark that cannot be put stops nothing. */
export async function react(
  { api, owner, repo, count }: Site,
  comment: number,
  content: Mark,
): Promise<boolean> {
  const route = "POST /repos/{owner}/{repo}/issues/comments/{comment}/reactions";
  try {
    return (await api.request(route, { owner, repo, comment, content })).status !== 200;
  } catch {
    count("faults");
    return true;
  }
}

/** Answers a comment in one line. The text is ours: nothing of a stranger's goes into it unescaped. */
export async function reply({ api, owner, repo, count }: Site, pull: number, text: string): Promise<void> {
  const route = "POST /repos/{owner}/{repo}/issues/{pull}/comments";
  try {
    await api.request(route, { owner, repo, pull, body: `${marker}\n${text}` });
  } catch {
    count("faults");
  }
}

/** Says no: a mark, and the reason once. */
export async function refuse(
  site: Site,
  { id, pull }: Pick<Remark, "id" | "pull">,
  because: string,
): Promise<void> {
  site.count("refusals");
  if (await react(site, id, "confused")) await reply(site, pull, `😕 ${because}.`);
}
