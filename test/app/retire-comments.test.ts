import { describe, expect, test } from "vitest";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { sweep } from "../../src/issue-ops/sweep.ts";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";

const run = "kept-run-0a1b2c3d";
const gone = "gone-run-0a1b2c3d";

function siteOf(github: GitHubHost) {
  const client = openGitHub({
    token: github.token,
    repository: github.repository,
    apiUrl: github.url,
  });
  return openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" });
}

test("the comment of a run whose record was deleted is closed once; others are not changed", async () => {
  const { github } = await openAppRepository();
  github.webhooks.url = undefined;
  seedRun(github, { run });
  const post = (login: string, id: string) =>
    github.as(login, "POST /issues/1/comments", {
      body: `<!-- until-green:run=${id} -->\n### ⏸️ fix-tests paused\n\n\`/workflow approve ${id}\`\n`,
    });
  for (const id of [run, gone]) await post("github-actions[bot]", id);
  await post("eve", gone);
  expect(await sweep(siteOf(github))).toMatchObject({ tidied: [gone], faults: [] });
  expect(await sweep(siteOf(github))).toMatchObject({ tidied: [], faults: [] });
  const bodies = (await github.as("octocat", "GET /issues/1/comments")).map(
    (one: { body: string }) => one.body,
  );
  expect(bodies[0]).toContain("/workflow approve");
  expect(bodies[1]).toContain("### ⏸️ fix-tests paused");
  expect(bodies[1]).toContain("is gone");
  expect(bodies[1]).not.toContain("/workflow");
  expect(bodies[2]).toContain("/workflow approve");
});

describe("a push that changes the configuration", () => {
  const push = (github: GitHubHost, more: object = {}) => ({
    ref: "refs/heads/main",
    after: github.git.git("rev-parse", "main"),
    commits: [{ added: [], modified: [".github/until-green.yml"], removed: [] }],
    repository: {
      name: "hello",
      owner: { login: "octocat" },
      default_branch: "main",
      html_url: github.origin,
      private: false,
    },
    sender: { login: "ada", type: "User" },
    installation: { id: 100 },
    ...more,
  });

  test("gets a check with every error at its line", async () => {
    const config = "allow-users: [ada]\nrequired-permision: read\nminimum-approvals: 99\n";
    const { github, home } = await openAppRepository({ ".github/until-green.yml": config });
    await github.webhooks.deliver("push", push(github));
    await home.app.deliveries.idle();
    const asked = github.journal.filter(
      ({ path, method }) => method === "POST" && path.endsWith("/check-runs"),
    );
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toMatchObject({
      name: "until-green configuration",
      head_sha: github.git.git("rev-parse", "main"),
      conclusion: "failure",
    });
    const lines = asked[0]?.body.output.annotations.map((one: { start_line: number }) => one.start_line);
    expect(lines.toSorted()).toEqual([2, 3]);
  });

  test("and one that fixes it a successful one; other branches and other files get none", async () => {
    const { github, home } = await openAppRepository({ ".github/until-green.yml": "allow-users: [ada]\n" });
    await github.webhooks.deliver("push", push(github, { ref: "refs/heads/topic" }));
    await github.webhooks.deliver("push", push(github, { after: "0".repeat(40) }));
    await github.webhooks.deliver(
      "push",
      push(github, { commits: [{ added: ["a"], modified: [], removed: [] }] }),
    );
    await home.app.deliveries.idle();
    expect(github.checks.size).toBe(0);
    await github.webhooks.deliver("push", push(github));
    await home.app.deliveries.idle();
    expect([...github.checks.values()]).toMatchObject([{ conclusion: "success" }]);
  });
});
