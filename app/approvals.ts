import { z } from "zod";
import { hearComment, readStanding } from "../src/index.ts";
import type { Order } from "./decide.ts";
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

/**
 * How many more people must approve the oldest gate before it is decided: counted from the comments there are, since
 * the app keeps nothing. Whoever edited theirs, or may not any more, does not count.
 */
export async function missingApprovals(site: Site, order: Order): Promise<number> {
  const { run, rules, pull, by, author } = order;
  const since = readStanding(order.tip.state["standing"])?.gates[0]?.since;
  if (pull === undefined || since === undefined) return 0;
  const { api, owner, repo } = site;
  const route = "GET /repos/{owner}/{repo}/issues/{pull}/comments";
  const { data } = await api.request(route, { owner, repo, pull, since, per_page: 100 });
  const others = approversIn(comments.parse(data), { run, by, since: Date.parse(since) });
  let missing = rules.minimum - 1;
  for (const login of others) {
    if (missing === 0) break;
    const no = (await mayCommand(site, rules, login)) ?? (await mayDecide(site, rules, { login, author }));
    if (no === undefined) missing--;
  }
  return missing;
}

interface Counting {
  readonly run: string;
  /** Counts without a comment. */
  readonly by: string;
  /** In milliseconds since 1970. */
  readonly since: number;
}

function approversIn(all: z.infer<typeof comments>, { run, by, since }: Counting): ReadonlySet<string> {
  const isWhole = (one: (typeof all)[number]) =>
    Date.parse(one.created_at) + 1_000 >= since && one.created_at === one.updated_at;
  const people = all.filter(isWhole).flatMap(({ body, user }) => {
    const heard = hearComment(body ?? "");
    if (heard === undefined || !("word" in heard) || heard.kind !== "approve") return [];
    // A first word that names another run was not said of this one.
    if (heard.word !== undefined && heard.word !== run && /-[0-9a-f]{8}$/.test(heard.word)) return [];
    return user?.type === "User" && !same(user.login, by) ? [user.login.toLowerCase()] : [];
  });
  return new Set(people);
}
