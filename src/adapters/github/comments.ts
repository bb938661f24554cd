import { type GitHub, GitHubError } from "./client.ts";

/** One comment of an issue or a pull request, by its number, known by the first line of its body. */
export interface OwnComment {
  readonly issue: number;
  readonly marker: string;
}

/**
 * Shows a text in the one comment with this marker: edits it where it is there, posts it where it is not. Answers its id.
 * A post of which nothing was heard is looked for before it is made again.
 */
export async function keepComment(
  github: GitHub,
  comment: OwnComment & { readonly body: string },
): Promise<number> {
  const found = await findComment(github, comment);
  if (found !== undefined) return await editComment(github, found, comment.body);
  try {
    return await createComment(github, comment.issue, comment.body);
  } catch (error) {
    if (!(error instanceof GitHubError) || (error.status !== 0 && error.status < 500)) throw error;
    const made = await findComment(github, comment);
    return made ?? (await createComment(github, comment.issue, comment.body));
  }
}

/** The id of our own comment with a marker; anybody may have written the marker into one of theirs. */
export async function findComment(
  github: GitHub,
  { issue, marker }: OwnComment,
): Promise<number | undefined> {
  const login = await github.login();
  for (let page = 1; page <= mostPages; page++) {
    const { data } = await github.request("GET /repos/{owner}/{repo}/issues/{issue_number}/comments", {
      ...github.at,
      issue_number: issue,
      per_page: 100,
      page,
    });
    const found = data.find(({ user, body }) => user?.login === login && body?.startsWith(marker) === true);
    if (found !== undefined) return Number(found.id);
    if (data.length < 100) return undefined;
  }
  return undefined;
}

/** A thread of more than 3,000 comments is not read to its end. */
const mostPages = 30;

/** Posts a comment and answers its id. */
export async function createComment(github: GitHub, issue: number, body: string): Promise<number> {
  const { data } = await github.request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", {
    ...github.at,
    issue_number: issue,
    body,
  });
  return Number(data.id);
}

/** Gives a comment another body and answers its id. */
export async function editComment(github: GitHub, id: number, body: string): Promise<number> {
  await github.request("PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", {
    ...github.at,
    comment_id: id,
    body,
  });
  return id;
}
