import { z } from "zod";
import { defined } from "../ports/defined.ts";
import type { IncomingComment, RepositoryContext } from "./repository-context.ts";

/** A comment on a pull request or an issue, as GitHub's API returns it. */
export const issueComment = z.object({
  id: z.number(),
  node_id: z.string(),
  body: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  user: z.object({ login: z.string(), type: z.string() }).nullish(),
});

export type IssueComment = z.infer<typeof issueComment>;

interface Query {
  /** The number of the pull request or issue. */
  readonly pull: number;
  /** Only comments written or edited since, in ISO 8601. */
  readonly since?: string | undefined;
  /** At most so many pages of 100 comments are read. */
  readonly pages: number;
}

/** The comments on a pull request or an issue, oldest first. */
export async function* commentsOn(
  { api, owner, repo }: RepositoryContext,
  { pull, since, pages }: Query,
): AsyncIterable<IssueComment> {
  const route = "GET /repos/{owner}/{repo}/issues/{pull}/comments";
  const query = { owner, repo, pull, per_page: 100, ...defined({ since }) };
  let page = 0;
  for await (const { data } of api.paginate.iterator(route, query)) {
    yield* z.array(issueComment).parse(data);
    page += 1;
    if (page === pages) break;
  }
}

interface Authored {
  readonly user?: { readonly login: string; readonly type?: string } | null | undefined;
}

/** The same comment, with what is known about its pull request or issue. */
export const incomingComment = (
  { id, body, created_at: at, user }: Pick<IssueComment, "id" | "body" | "created_at"> & Authored,
  about: Pick<IncomingComment, "pull" | "isOnIssue" | "author">,
): IncomingComment => ({
  id,
  body: body ?? "",
  by: user?.login ?? "",
  isBot: user?.type !== "User",
  at,
  ...about,
});

/** The number of the pull request or issue with this API URL. */
export const numberIn = (url: string) => Number(/\/(\d+)$/.exec(url)?.[1]);
