import examples from "@octokit/webhooks-examples";
import { expect, test } from "vitest";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";

const run = "real-run-0a1b2c3d";
const handled = ["issue_comment", "check_run", "workflow_run", "pull_request", "installation", "push"];

// biome-ignore lint/suspicious/noExplicitAny: payloads of all kinds
type Payload = any;
const all = (examples as unknown as readonly { name: string; examples: readonly Payload[] }[])
  .filter(({ name }) => handled.includes(name))
  .flatMap(({ name, examples: payloads }) => payloads.map((payload) => ({ name, payload })));

test("of GitHub's own example payloads, signed, none is refused, breaks anything or does anything", async () => {
  const { github, home } = await openAppRepository();
  seedRun(github, { run });
  const before = github.journal.length;
  for (const { name, payload } of all) expect(await github.webhooks.deliver(name, payload)).toBe(200);
  await home.app.deliveries.idle();
  expect(new Set(all.map(({ name }) => name))).toEqual(new Set(handled));
  const asked = github.journal.slice(before).filter(({ method, path }) => method !== "GET" && isDeed(path));
  expect(asked).toEqual([]);
  expect(tipOf(github, run).state.seq).toBe(1);
  expect(github.dispatches).toEqual([]);
  expect(home.app.metrics.text(0)).toMatch(/^until_green_commands_total 0$/m);
  expect(await (await fetch(`${home.origin}/healthz`)).text()).toBe("ok\n");
});

test("the same payload acts when its comment is a command on a pull request, and only when it was just made", async () => {
  const { github, home } = await openAppRepository();
  seedRun(github, { run });
  github.webhooks.url = undefined;
  const { id } = await github.as("ada", "POST /issues/1/comments", { body: `/workflow approve ${run}` });
  github.webhooks.url = home.hooks;
  const ada = (one: Payload) => ({ ...one, login: "ada", type: "User" });
  for (const action of ["deleted", "edited", "created"]) {
    const payload: Payload = all.find(
      (one) => one.name === "issue_comment" && one.payload.action === action,
    )?.payload;
    expect(tipOf(github, run).state.seq).toBe(1);
    await github.webhooks.deliver("issue_comment", {
      ...payload,
      comment: {
        ...payload.comment,
        id,
        body: `/workflow approve ${run}`,
        user: ada(payload.comment.user),
        created_at: "2026-02-01T00:00:00Z",
      },
      issue: {
        ...payload.issue,
        number: 1,
        pull_request: { url: "", html_url: "", diff_url: "", patch_url: "" },
      },
      repository: {
        ...payload.repository,
        name: "hello",
        owner: { ...payload.repository.owner, login: "octocat" },
        default_branch: "main",
      },
      sender: ada(payload.sender),
      installation: { id: 100, node_id: "" },
    });
    await home.app.deliveries.idle();
  }
  expect(tipOf(github, run).events).toMatchObject([{ type: "run.decided", by: "ada" }]);
  expect(github.dispatches).toHaveLength(1);
});

/** GraphQL is only read by. */
const isDeed = (path: string) => !path.endsWith("/access_tokens") && path !== "/graphql";
