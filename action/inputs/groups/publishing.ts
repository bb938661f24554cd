import { choice, flag, person, text, trimmedText, wholeNumber, wordList } from "../field-schemas.ts";
import { input } from "../input.ts";

/** Publishing. */
export const publishing = {
  "push-token": input(
    trimmedText,
    "A GitHub App token or personal access token that pushes and, if it has the permission, opens pull requests. Without it, `GITHUB_TOKEN` does, and the workflow runs of the pull request wait for **Approve workflows to run**.",
  ),
  "app-id": input(
    trimmedText,
    "The id (or client id) of a GitHub App that pushes and opens pull requests, instead of `push-token`. Its token is created when the work is published, because it expires after an hour.",
  ),
  "app-private-key": input(text, "The private key of that app, from a secret."),
  branch: input(
    trimmedText,
    "The branch to publish to; default `until-green/<workflow>`. Never the default branch.",
  ),
  base: input(
    trimmedText,
    "The base branch, available in workflows as `$BASE_BRANCH`. Default is the pull request's base, else the repository's default branch, else the one checked out.",
  ),
  title: input(
    trimmedText,
    "The title of the pull request; `{workflow}`, `{run}`, `{conclusion}`, `{summary}`, `{issue}` and `{output}` (the agent's last message) are replaced.",
  ),
  body: input(
    text,
    "The body of the pull request, with the same placeholders; a collapsed section with the run is added. Default is the agent's summary of what it changed and why, and the failing tests before and after.",
  ),
  "commit-message": input(
    text,
    "The message of the published commit, with the same placeholders; trailers are added.",
  ),
  signoff: input(flag, "Whether to sign off published commits (`Signed-off-by`), `true` or `false`.", {
    fallback: "false",
  }),
  author: input(
    person,
    "The author of published commits, such as `Ann <ann@example.com>`. Default is until-green, which is always the committer.",
  ),
  "commit-mode": input(
    choice("git", "api"),
    "How commits are made. `git` pushes unsigned commits by until-green; `api` makes them through GitHub's API, which signs them and names the app (or `github-actions[bot]`) as the author. It works with `github-token` or a GitHub App token, not with a personal access token.",
    { fallback: "git" },
  ),
  reviewers: input(
    wordList,
    "Reviewers to request when the pull request is opened, separated by commas or one per line.",
  ),
  "team-reviewers": input(
    wordList,
    "Teams whose review to request, by slug. Needs a token that can read the organization's teams.",
  ),
  assignees: input(wordList, "Assignees of the pull request when it is opened."),
  labels: input(
    wordList,
    "Labels to set when the pull request is opened, separated by commas or one per line.",
  ),
  draft: input(
    choice("auto", "true", "false"),
    "Whether the pull request is a draft, `true` or `false`. With `auto` it is a draft until a run succeeds.",
    { fallback: "auto" },
  ),
  squash: input(
    choice("true", "false"),
    "Whether to publish one commit; `false` publishes one commit per iteration with changes.",
    { fallback: "true" },
  ),
  "if-no-changes": input(
    choice("warn", "fail", "ignore"),
    "What to do when a run succeeds and there is nothing to publish; `warn`, `fail` or `ignore`.",
    { fallback: "warn" },
  ),
  "allow-workflow-files": input(
    flag,
    "Whether to publish changes in `.github/workflows`; requires a `push-token` with that permission.",
    { fallback: "false" },
  ),
  "max-files": input(wholeNumber, "Maximum number of published files; with more, nothing is published.", {
    fallback: "300",
  }),
  "max-patch-kib": input(
    wholeNumber,
    "Maximum total size of the changed files in KiB; with more, nothing is published.",
    { fallback: "4096" },
  ),
} as const;
