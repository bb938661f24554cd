import { expect, onTestFinished, test } from "vitest";
import { labelAndAsk } from "../../../action/publish/keep-pull.ts";
import { openPull, refusalOfPull } from "../../../action/publish/open-pull.ts";
import { openGitHub } from "../../../src/github/client.ts";
import { openGitHubHost } from "../../parts/github-host/host.ts";
import { inputsOf } from "./work-on-host.ts";

async function repository() {
  const host = await openGitHubHost({ users: { ann: "write" } });
  onTestFinished(() => host.close());
  const commit = host.git.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Work");
  host.git.git("branch", "work", commit);
  const clientOf = (token: string) =>
    openGitHub({ token, repository: host.repository, apiUrl: host.url, secondMs: 10 });
  const site = { server: host.origin, repository: host.repository } as Parameters<typeof openPull>[0]["site"];
  const at = { github: clientOf(host.token), opener: clientOf(host.tokenOf("ann")), site };
  return { host, at, pull: { title: "T", body: "B", head: "work", base: "main", draft: false, commit } };
}

test("a pull request is opened with the token that pushes, so that GitHub runs its checks", async () => {
  const { host, at, pull } = await repository();
  const { number } = await openPull(at, pull);
  expect(await host.as("octocat", `GET /pulls/${number}`)).toMatchObject({ user: { login: "ann" } });
});

test.each([401, 403, 404])("where that token may not open one (%s), the job's own does", async (status) => {
  const { host, at, pull } = await repository();
  host.fault(/^POST .*\/pulls$/, { status, message: "Resource not accessible" }, 1);
  const { number } = await openPull(at, pull);
  expect(await host.as("octocat", `GET /pulls/${number}`)).toMatchObject({
    user: { login: "github-actions[bot]" },
  });
});

test("where none may, the error names the setting, the pushed branch and a link to open it by hand", async () => {
  const { host, at, pull } = await repository();
  const message = "GitHub Actions is not permitted to create or approve pull requests.";
  host.fault(/^POST .*\/pulls$/, { status: 403, message });
  const { github, site } = at;
  await expect(openPull({ github, opener: undefined, site }, pull)).rejects.toMatchObject({
    message: expect.stringMatching(
      /^the branch work was pushed.*not permitted.*Allow GitHub Actions to create.*`command: publish`.*\/compare\/main\.\.\.work\?expand=1$/,
    ),
    published: { branch: "work", commit: pull.commit, pull: undefined },
  });
});

test("where the base was renamed meanwhile, the pull request is opened into it by its new name", async () => {
  const { host, at, pull } = await repository();
  host.git.git("branch", "-m", "main", "trunk");
  host.git.git("symbolic-ref", "HEAD", "refs/heads/trunk");
  host.renamedBranches.set("main", "trunk");
  const { number, base } = await openPull(at, pull);
  expect([number, base]).toEqual([1, "trunk"]);
  await expect(openPull(at, { ...pull, base: "gone" })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('"field":"base"'),
  });
});

test("any other refusal is an error: no other token would change it", async () => {
  const { host, at, pull } = await repository();
  host.fault(/^POST .*\/pulls$/, { status: 422, message: "No commits" }, 1);
  await expect(openPull(at, pull)).rejects.toThrow("No commits");
  host.fault(/^POST .*\/pulls$/, { status: 422, message: "No commits" }, 1);
  await expect(openPull({ ...at, opener: undefined }, pull)).rejects.not.toHaveProperty("published");
});

test("a job that lacks the permission reports which one it needs", () => {
  const error = Object.assign(new Error("Resource not accessible by integration"), { status: 403 });
  const site = { server: "https://github.example", repository: "o/r" } as Parameters<
    typeof openPull
  >[0]["site"];
  expect(refusalOfPull(error, { site, pull: { base: "main", head: "work" } })).toEqual({
    because: "GitHub did not let this job open a pull request (Resource not accessible by integration)",
    remedy: "Give the job `permissions: pull-requests: write`, or pass a `push-token` that can open them",
    link: "https://github.example/o/r/compare/main...work?expand=1",
  });
});

test("a new pull request gets all that the job asks for", async () => {
  const { host, at, pull } = await repository();
  const { number } = await openPull(at, pull);
  const notices = await labelAndAsk(
    at.github,
    { number, text: pull },
    inputsOf({ labels: "loop", reviewers: "octocat" }),
  );
  expect(notices).toEqual([]);
  expect((await host.as("octocat", `GET /issues/${number}`)).labels).toMatchObject([{ name: "loop" }]);
  expect((await host.as("octocat", `GET /pulls/${number}`)).requested_reviewers).toMatchObject([
    { login: "octocat" },
  ]);
});
