import { expect, test } from "vitest";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { hashOf, openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { verifyDecision, verifyStartMessage } from "../../src/issue-ops/verify-decision.ts";
import { openAppRepository } from "../parts/app-repository.ts";

const run = "proof-run-0a1b2c3d";

test("a recorded decision is valid while its comment exists, unchanged, by a person with permission", async () => {
  const { github } = await openAppRepository();
  github.webhooks.url = undefined;
  const body = `/workflow approve ${run}\nuse maps`;
  const { id } = await github.as("ada", "POST /issues/1/comments", { body });
  const comment = { id, sha256: hashOf(body) };
  const decision = {
    run,
    type: "run.decided",
    decision: "approve",
    by: "ada",
    text: "use maps",
    comment,
  } as const;
  const doubt = async (change: object = {}) => {
    const client = openGitHub({
      token: github.token,
      repository: github.repository,
      apiUrl: github.url,
    });
    const api = apiOf(client);
    const site = openRepositoryContext({ api, ...client.at, defaultBranch: "main" });
    return await verifyDecision(site, { ...decision, workflow: undefined, ...change });
  };
  expect(await doubt()).toBeUndefined();
  const reads = github.journal.filter(
    ({ method, path }) => method === "GET" && path.includes(`/comments/${id}`),
  );
  expect(reads).toHaveLength(1);
  expect(await doubt({ text: "use maps; and push to main" })).toMatch(/says something else/);
  expect(await doubt({ decision: "reject" })).toMatch(/says something else/);
  expect(await doubt({ type: "run.cancelled" })).toMatch(/says something else/);
  expect(await doubt({ run: "other-run-0a1b2c3d" })).toMatch(/says something else/);
  expect(await doubt({ by: "bob" })).toMatch(/is not by bob/);
  const command = "/workflow approve fix-c00001z";
  const elsewhere = await github.as("ada", "POST /issues/1/comments", { body: command });
  const forged = { comment: { id: elsewhere.id, sha256: hashOf(command) }, text: "fix-c00001z" };
  expect(await doubt(forged)).toMatch(/says something else/);
  expect(await doubt({ pull: 1 })).toBeUndefined();
  expect(await doubt({ pull: 2 })).toMatch(/belongs to another pull request/);
  expect(await doubt({ comment: { id, sha256: hashOf("else") } })).toMatch(/was edited/);
  expect(await doubt({ comment: { id: 999, sha256: hashOf(body) } })).toMatch(/is gone/);
  github.roles.set("ada", "read");
  expect(await doubt()).toMatch(/ada may not command any more/);
  github.roles.set("ada", "write");
  await github.as("ada", `PATCH /issues/comments/${id}`, { body: `${body} not` });
  expect(await doubt()).toMatch(/was edited/);
});

test("a decision that cannot be verified because the host does not answer is not valid", async () => {
  const { github } = await openAppRepository();
  github.fault(/\/issues\/comments\//, { status: 403 });
  const client = openGitHub({
    token: github.token,
    repository: github.repository,
    apiUrl: github.url,
  });
  const site = openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" });
  const decision = { run, type: "run.decided", by: "ada", text: "", comment: { id: 1, sha256: "" } } as const;
  expect(await verifyDecision(site, { ...decision, workflow: undefined })).toMatch(/could not be asked/);
});

test("a recorded button press is verified if more than write permission is required", async () => {
  const config = "workflows:\n  strict: { approvers: [ada, bob] }\n";
  const { github } = await openAppRepository({ ".github/until-green.yml": config });
  const doubt = async (change: object = {}, key?: string) => {
    const client = openGitHub({
      token: github.token,
      repository: github.repository,
      apiUrl: github.url,
    });
    const site = openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main", key });
    const decision = { run, type: "run.decided", decision: "approve", by: "ada", text: "" } as const;
    return await verifyDecision(site, { ...decision, workflow: undefined, ...change });
  };
  expect(await doubt()).toBeUndefined();
  // A terminal names its user, whom the host need not know.
  expect(await doubt({ by: "runner" })).toBeUndefined();
  // Whoever may write may write the record: where more is asked, it takes a signature or a comment.
  expect(await doubt({ workflow: "strict" })).toMatch(/decide in a comment, or set a state key/);
  expect(await doubt({ workflow: "strict" }, "a key")).toBeUndefined();
  expect(await doubt({ workflow: "strict", by: "octocat" }, "a key")).toMatch(/only the approvers/);
  expect(await doubt({ workflow: "strict", by: "eve" }, "a key")).toMatch(/eve may not command/);
  github.roles.set("ada", "read");
  expect(await doubt({ workflow: "strict" }, "a key")).toMatch(/ada may not command/);
});

test("where two must approve, the votes are counted again before a decision is used", async () => {
  const { github } = await openAppRepository({ ".github/until-green.yml": "minimum-approvals: 2\n" });
  github.webhooks.url = undefined;
  const since = new Date(Date.now() - 60_000).toISOString();
  const body = `/workflow approve ${run}`;
  const { id } = await github.as("ada", "POST /issues/1/comments", { body });
  const doubt = async (more: object = {}) => {
    const client = openGitHub({
      token: github.token,
      repository: github.repository,
      apiUrl: github.url,
    });
    const site = openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" });
    const comment = { id, sha256: hashOf(body) };
    const decision = { run, type: "run.decided", decision: "approve", by: "ada", text: "", comment } as const;
    return await verifyDecision(site, { ...decision, workflow: undefined, since, ...more });
  };
  expect(await doubt()).toMatch(/1 more must approve/);
  await github.as("eve", "POST /issues/1/comments", { body });
  expect(await doubt()).toMatch(/1 more must approve/);
  await github.as("bob", "POST /issues/1/comments", { body });
  expect(await doubt()).toBeUndefined();
  expect(await doubt({ since: new Date(Date.now() + 60_000).toISOString() })).toMatch(/1 more must approve/);
  expect(await doubt({ at: new Date(Date.now() - 30_000).toISOString() })).toMatch(/1 more must approve/);
});

test("the comment that a run is started with must be there, unchanged, by a person with permission", async () => {
  const { github } = await openAppRepository();
  github.webhooks.url = undefined;
  const body = "/workflow run fix-tests\nonly the parser";
  const { id } = await github.as("ada", "POST /issues/1/comments", { body });
  const client = openGitHub({ token: github.token, repository: github.repository, apiUrl: github.url });
  const read = (workflow = "fix-tests", sha256 = hashOf(body), of = id) => {
    const site = openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" });
    return verifyStartMessage(site, { workflow, comment: { id: of, sha256 } });
  };
  expect(await read()).toEqual({ message: "only the parser" });
  expect(await read("other-loop")).toEqual({ doubt: `comment ${id} says something else` });
  expect(await read("fix-tests", hashOf(body), 999)).toEqual({ doubt: "comment 999 is gone" });
  github.roles.set("ada", "read");
  expect(await read()).toEqual({ doubt: expect.stringMatching(/^ada may not: /) });
  github.roles.set("ada", "write");
  await github.as("ada", `PATCH /issues/comments/${id}`, { body: `${body}, and the deploy key` });
  expect(await read()).toEqual({ doubt: `comment ${id} was edited since` });
});
