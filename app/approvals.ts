import { z } from "zod";
import { hearComment } from "../src/index.ts";
import type { Rules } from "./config.ts";
import { mayCommand, mayDecide, same } from "./person.ts";
import type { Site } from "./site.ts";

const comments = z.array(
  z.object({
    body: z.string().nullish(),
    created_at: z.string(),
    updated_at: z.string(),
    user: z.object({ login: z.string(), type: z.string() }).nullish(),
  }),
);

/** An approval that is not alone in deciding a gate. */
export interface Vote {
  readonly run: string;
  readonly rules: Rules;
  readonly pull: number;
  /** Counts without a comment. */
  readonly by: string;
  /** Who opened the pull request. */
  readonly author: string;
  /** When the gate opened, in ISO 8601. */
  readonly since: string;
  /** What was said later does not count. */
  readonly until?: string | undefined;
}

/**
 * How many more people must approve beside one who does: counted from the comments there are, since the app keeps
 * nothing. Whoever edited theirs, or may not any more, does not count.
 */
export async function missingVotes(site: Site, vote: Vote): Promise<number> {
  const { rules, pull, author, since } = vote;
  const { api, owner, repo } = site;
  const route = "GET /repos/{owner}/{repo}/issues/{pull}/comments";
  const { data } = await api.request(route, { owner, repo, pull, since, per_page: 100 });
  let missing = rules.minimum - 1;
  for (const login of approversIn(comments.parse(data), vote)) {
    if (missing === 0) break;
    const no = (await mayCommand(site, rules, login)) ?? (await mayDecide(site, rules, { login, author }));
    if (no === undefined) missing--;
  }
  return missing;
}

function approversIn(all: z.infer<typeof comments>, { run, by, since, until }: Vote): ReadonlySet<string> {
  const end = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until) + 1_000;
  const isWhole = (one: (typeof all)[number]) => {
    const at = Date.parse(one.created_at);
    return at + 1_000 >= Date.parse(since) && at <= end && one.created_at === one.updated_at;
  };
  const people = all.filter(isWhole).flatMap(({ body, user }) => {
    const heard = hearComment(body ?? "");
    if (heard === undefined || !("word" in heard) || heard.kind !== "approve") return [];
    // A first word that names another run was not said of this one.
    if (heard.word !== undefined && heard.word !== run && /-[0-9a-f]{8}$/.test(heard.word)) return [];
    return user?.type === "User" && !same(user.login, by) ? [user.login.toLowerCase()] : [];
  });
  return new Set(people);
}
