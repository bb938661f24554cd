import { expect, test } from "vitest";
import { onComment } from "../../app/on-comment.ts";
import { openSite } from "../../app/site.ts";
import type { Api } from "../../src/adapters/github/api.ts";
import { openGitHub } from "../../src/adapters/github/client.ts";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";

const run = "cost-run-0a1b2c3d";

/** The calls from a comment to the job's start, each as its method and path. */
async function callsUntilStart(withGraph: boolean): Promise<readonly string[]> {
  const { github } = await openAppRepository();
  github.webhooks.url = undefined;
  seedRun(github, { run, origin: { pull: 1 } });
  const body = `/workflow approve ${run} go on`;
  const { id, created_at: at } = await github.as("ada", "POST /issues/1/comments", { body });
  const { at: place, request } = openGitHub({
    token: github.token,
    repository: github.repository,
    apiUrl: github.url,
  });
  const rest: Api = { request: request as never };
  const graph: Api = {
    request: async (route, parameters) =>
      route === "POST /graphql" ? lookOf(github) : await rest.request(route, parameters),
  };
  const calls: string[] = [];
  const api: Api = {
    async request(route, parameters) {
      calls.push(route);
      return await (withGraph ? graph : rest).request(route, parameters);
    },
  };
  const site = openSite({ api, ...place, defaultBranch: "main" });
  await onComment(site, { id, body, by: "ada", isBot: false, at, pull: 1, author: "octocat" });
  expect(github.dispatches).toHaveLength(1);
  return calls.slice(0, calls.findIndex((route) => route.endsWith("/dispatches")) + 1);
}

/** What GitHub answers to the one question that reads a run, its pull request and the configuration. */
function lookOf({ git }: GitHubHost) {
  const ref = `refs/until-green/${run}/state`;
  const file = (name: string) => ({ object: { text: `${git.git("show", `${ref}:${name}`)}\n` } });
  const target = {
    oid: git.git("rev-parse", ref),
    tree: { oid: git.git("rev-parse", `${ref}^{tree}`) },
    state: file("state"),
    events: file("events"),
  };
  const pullRequest = { headRefOid: git.git("rev-parse", "topic") };
  return {
    status: 200,
    data: { data: { repository: { own: { target }, branch: null, pullRequest, beside: null } } },
  };
}

test("a comment that names its run starts its job in 7 calls where the host speaks GraphQL", async () => {
  const calls = await callsUntilStart(true);
  expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(7);
});

test("and in 14 where it answers REST alone, of which 8 read", async () => {
  const calls = await callsUntilStart(false);
  expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(14);
});
