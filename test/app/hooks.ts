import { expect } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";

/** The repository, as webhooks tell of it. */
export const repository = {
  name: "hello",
  owner: { login: "octocat" },
  default_branch: "main",
  html_url: "https://github.com/octocat/hello",
  private: false,
};

/** A comment that was just made on pull request 1, as a webhook tells of it. */
// biome-ignore lint/suspicious/noExplicitAny: a comment as the API answers it
export const commentHook = (comment: any) => ({
  action: "created",
  comment,
  issue: { number: 1, pull_request: { url: "" }, user: { login: "octocat" } },
  repository,
  sender: comment.user,
  installation: { id: 100 },
});

/** A button of a run's check that somebody pressed. */
export const buttonHook = (run: string, identifier: string, login: string) => ({
  action: "requested_action",
  check_run: { id: 1, external_id: run, pull_requests: [{ number: 1 }] },
  requested_action: { identifier },
  repository,
  sender: { login, type: "User" },
  installation: { id: 100 },
});

/** A job of the host that has come to its end. */
export const workflowHook = (id: number, path = ".github/workflows/until-green.yml") => ({
  action: "completed",
  workflow_run: { id, path },
  repository,
  sender: { login: "ada", type: "User" },
  installation: { id: 100 },
});

interface Hook {
  readonly event: string;
  readonly hook: object;
  readonly delivery?: string;
}

/** Sends one webhook to one copy of the app, which takes it. */
export async function deliver(
  github: GitHubHost,
  url: string,
  { event, hook, delivery }: Hook,
): Promise<void> {
  const before = github.webhooks.url;
  github.webhooks.url = url;
  const sent = github.webhooks.deliver(event, hook, delivery);
  github.webhooks.url = before;
  expect(await sent).toBe(200);
}
