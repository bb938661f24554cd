import { z } from "zod";
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

/** Of a sentence that may hold what stands in a file or a record: no markup of its own, and nobody is called by it. */
export const quoted = (text: string) => text.replace(/[`<>@#[\]\\]/g, "");

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

const pullSchema = z.object({
  user: z.object({ login: z.string() }).nullish(),
  head: z.object({ sha: z.string() }),
});

/** Who opened a pull request, and where it stands. */
export async function authorOf(
  { api, owner, repo }: Site,
  pull: number,
): Promise<{ readonly author: string; readonly head: string }> {
  const { data } = await api.request("GET /repos/{owner}/{repo}/pulls/{pull}", { owner, repo, pull });
  const { user, head } = pullSchema.parse(data);
  return { author: user?.login ?? "", head: head.sha };
}
