import { expect, test } from "vitest";
import type { Api } from "../../src/github/api.ts";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { onButton } from "../../src/issue-ops/on-button.ts";
import { onComment } from "../../src/issue-ops/on-comment.ts";
import { openRepositoryContext, type RepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { stickyMarker } from "../../src/render/sticky-comment.ts";
import type { RefHost } from "../../src/stores/rest/tip.ts";
import { apiBy } from "../parts/api-by.ts";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";

const run = "cost-run-0a1b2c3d";
const nonce = "abcdefghij";

/** The calls until a job is started, each as its route. */
async function callsUntilStart(
  act: (site: RepositoryContext, command: Command) => Promise<void>,
  body = "look",
  { hasGraph = true, host }: { readonly hasGraph?: boolean; readonly host?: RefHost } = {},
) {
  const { github } = await openAppRepository();
  github.webhooks.url = undefined;
  const head = github.git.git("rev-parse", "topic");
  seedRun(github, { run, gates: [{ nonce, head }], origin: { pull: 1, head } });
  await github.as("github-actions[bot]", "POST /issues/1/comments", { body: stickyMarker(run) });
  if (!hasGraph) github.fault(/\/graphql$/, { status: 404 });
  const { id, created_at: at } = await github.as("ada", "POST /issues/1/comments", { body });
  const client = openGitHub({
    token: github.token,
    repository: github.repository,
    apiUrl: github.url,
  });
  const calls: string[] = [];
  const api: Api = {
    ...apiBy(async (route, parameters) => {
      calls.push(route);
      return await apiOf(client).request(route, parameters);
    }),
    graphql: async (query, variables) => {
      calls.push("POST /graphql");
      return await apiOf(client).graphql(query, variables);
    },
  };
  await act(openRepositoryContext({ api, ...client.at, defaultBranch: "main", host }), { id, at, body });
  expect(github.dispatches).toHaveLength(1);
  return calls.slice(0, calls.findIndex((route) => route.endsWith("/dispatches")) + 1);
}

interface Command {
  readonly id: number;
  readonly at: string;
  readonly body: string;
}

const comment = (site: RepositoryContext, command: Command) =>
  onComment(site, { ...command, by: "ada", isBot: false, pull: 1, author: "octocat" });

test("a comment that names its run starts its job in 6 calls where the host speaks GraphQL", async () => {
  const calls = await callsUntilStart(comment, `/workflow approve ${run} go on`);
  expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(6);
});

test("and one that names none, too: the host returns all runs at once", async () => {
  const calls = await callsUntilStart(comment, "/workflow approve");
  expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(6);
});

test("nor one whose feedback begins with a word that could be an id", async () => {
  const calls = await callsUntilStart(comment, "/workflow approve please go on");
  expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(6);
});

test("a button does it in 5, as the host names the pull request of the check", async () => {
  const press = { identifier: `approve:${nonce}`, run, pull: 1, by: "ada", isBot: false, delivery: "d" };
  const calls = await callsUntilStart((site) => onButton(site, press));
  expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(5);
});

test("and where the host answers REST alone, a comment takes 11, 10 once that is known", async () => {
  const host = { hasGraph: true };
  const calls = await callsUntilStart(comment, `/workflow approve ${run} go on`, { hasGraph: false, host });
  expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(11);
  expect(host).toEqual({ hasGraph: false });
  const again = await callsUntilStart(comment, `/workflow approve ${run} go on`, { hasGraph: false, host });
  // A mark, four that write, and what only one route each tells: the ref, its file, the branch, the person, the rules.
  expect(again.length, again.join("\n")).toBeLessThanOrEqual(10);
});
