import { z } from "zod";
import { apiOf, askIfThere } from "./api.ts";
import { type GitHub, GitHubError } from "./client.ts";

/** The comment of an issue or pull request that shows a run, identified by the first line of its body. */
export interface OwnComment {
  readonly issue: number;
  readonly marker: string;
  /** Accepted authors: anyone may have copied the marker into their own comment. */
  readonly by: readonly string[];
  /** Its id, if known. */
  readonly id?: number | undefined;
  /** Returns the new body, given the current one; `undefined` if there is none yet. */
  write(before: string | undefined): string;
}

export interface KeptComment {
  readonly id: number;
  readonly body: string;
}

/** Updates our comment: edits it if it exists and differs, else creates it. */
export async function keepComment(github: GitHub, comment: OwnComment): Promise<KeptComment> {
  const existing = (await readComment(github, comment)) ?? (await findComment(github, comment));
  if (existing !== undefined) return await writeComment(github, existing, comment);
  return await onlyOne(github, comment, await post(github, comment));
}

async function post(github: GitHub, comment: OwnComment): Promise<KeptComment> {
  const body = comment.write(undefined);
  try {
    return await createComment(github, comment.issue, body);
  } catch (error) {
    if (!(error instanceof GitHubError) || (error.status !== 0 && error.status < 500)) throw error;
    // After a POST without an answer, look for the comment before posting again.
    return (await findComment(github, comment)) ?? (await createComment(github, comment.issue, body));
  }
}

/** Another process of ours may have posted at the same moment: the first comment is kept. */
async function onlyOne(github: GitHub, comment: OwnComment, made: KeptComment): Promise<KeptComment> {
  const first = await findComment(github, comment);
  if (first === undefined || first.id === made.id) return made;
  await github.request("DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}", {
    ...github.at,
    comment_id: made.id,
  });
  return await writeComment(github, first, comment);
}

async function writeComment(
  github: GitHub,
  existing: KeptComment,
  { write }: OwnComment,
): Promise<KeptComment> {
  const body = write(existing.body);
  return body === existing.body ? existing : await editComment(github, existing.id, body);
}

const single = z.object({ body: z.string().nullish(), issue_url: z.string() });

/** The known comment, unless it was deleted, moved or has another marker. */
export async function readComment(
  github: GitHub,
  { id, issue, marker }: Pick<OwnComment, "id" | "issue" | "marker">,
): Promise<KeptComment | undefined> {
  if (id === undefined) return undefined;
  const route = "GET /repos/{owner}/{repo}/issues/comments/{comment_id}";
  const response = await askIfThere(apiOf(github), route, { ...github.at, comment_id: id });
  const { body, issue_url: url } = single.parse(response ?? { issue_url: "" });
  return url.endsWith(`/${issue}`) && body?.startsWith(marker) === true ? { id, body } : undefined;
}

const listed = z.array(
  z.object({ id: z.number(), body: z.string().nullish(), user: z.object({ login: z.string() }).nullish() }),
);

/** The oldest of our comments with the marker. */
export async function findComment(
  github: GitHub,
  { issue, marker, by }: Omit<OwnComment, "write">,
): Promise<KeptComment | undefined> {
  const route = "GET /repos/{owner}/{repo}/issues/{issue_number}/comments";
  const query = { ...github.at, issue_number: issue, per_page: 100 };
  let pages = 0;
  for await (const { data } of github.paginate.iterator(route, query)) {
    const matching = listed
      .parse(data)
      .filter(({ user, body }) => isBy(user, by) && body?.startsWith(marker) === true)
      .toSorted((a, b) => a.id - b.id)[0];
    if (matching !== undefined) return { id: matching.id, body: matching.body ?? "" };
    pages += 1;
    if (pages === mostPages) break;
  }
  return undefined;
}

const isBy = (user: { readonly login: string } | null | undefined, by: readonly string[]) =>
  by.some((login) => login.toLowerCase() === user?.login.toLowerCase());

/** At most 3,000 comments of a thread are read. */
const mostPages = 30;

async function createComment(github: GitHub, issue: number, body: string): Promise<KeptComment> {
  const { data } = await github.request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", {
    ...github.at,
    issue_number: issue,
    body,
  });
  return { id: Number(data.id), body };
}

/** Replaces a comment's body. */
export async function editComment(github: GitHub, id: number, body: string): Promise<KeptComment> {
  await github.request("PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", {
    ...github.at,
    comment_id: id,
    body,
  });
  return { id, body };
}
