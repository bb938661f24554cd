import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { sweep } from "../../src/issue-ops/sweep.ts";
import { openAppHome } from "../parts/app-home.ts";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { buttonHook, commentHook, deliver, workflowHook } from "./hooks.ts";

const run = "once-run-0a1b2c3d";
const rounds = Number(process.env["UNTIL_GREEN_ROUNDS"] ?? 7);

describe("of many who decide a gate, one does", () => {
  test("with two to eight copies of the app, and as many people and buttons at once: one decision, one start, replies to the others", {
    timeout: 60_000 + rounds * 20_000,
  }, async () => {
    // A host of their own for some rounds each: more requests than in an hour of GitHub would be refused.
    for (let first = 1; first <= rounds; first += 14) await race(first, Math.min(first + 13, rounds));
  });

  test("a delivery that comes again, here or at another copy, even days later, does nothing more", async () => {
    const { github, home, replies } = await openAppRepository();
    github.webhooks.url = undefined;
    const other = await openAppHome(github);
    seedRun(github, { run });
    const comment = await github.as("ada", "POST /issues/1/comments", { body: `/workflow approve ${run}` });
    for (const { hooks, app } of [home, home, other, other]) {
      await deliver(github, hooks, { event: "issue_comment", hook: commentHook(comment), delivery: "same" });
      await deliver(github, hooks, { event: "issue_comment", hook: commentHook(comment) });
      await app.deliveries.idle();
    }
    // The run has gone on, and stands at its next gate.
    seedRun(github, { run, gates: [{ since: "2099-01-01T00:00:00.000Z" }] });
    await deliver(github, home.hooks, { event: "issue_comment", hook: commentHook(comment) });
    await home.app.deliveries.idle();
    expect(github.dispatches).toHaveLength(1);
    expect(tipOf(github, run).state.seq).toBe(1);
    expect(await replies()).toEqual([]);
  });

  test("an edited, a deleted and a stranger's delivery are none", async () => {
    const { github, home } = await openAppRepository();
    github.webhooks.url = undefined;
    seedRun(github, { run });
    const comment = await github.as("ada", "POST /issues/1/comments", { body: `/workflow approve ${run}` });
    for (const action of ["edited", "deleted"])
      await deliver(github, home.hooks, {
        event: "issue_comment",
        hook: { ...commentHook(comment), action },
      });
    await deliver(github, home.hooks, {
      event: "issue_comment",
      hook: { ...commentHook(comment), sender: { login: "eve", type: "User" } },
    });
    const answer = await fetch(home.hooks, {
      method: "POST",
      headers: {
        "x-github-event": "issue_comment",
        "x-github-delivery": "1",
        "x-hub-signature-256": "sha256=00",
        "content-type": "application/json",
      },
      body: JSON.stringify(commentHook(comment)),
    });
    await home.app.deliveries.idle();
    expect(answer.status).toBe(400);
    expect(tipOf(github, run).state.seq).toBe(1);
  });
});

describe("what is refused, is refused with a reason", () => {
  test.each<[string, RegExp]>([
    ["/workflow aprove", /did you mean `\/workflow approve`/],
    [
      "/workflow approve once-run-0a1b2c3e",
      /there is no run `once-run-0a1b2c3e` here; its runs: `once-run-0a1b2c3d` \(paused\)/,
    ],
    ["/workflow approve --gate /other", /that gate is not open; open now: `\/fix#1`/],
    ["/workflow run nothing", /there is no workflow `nothing`; there are `fix-tests`/],
    ["/workflow run fix-test", /did you mean `fix-tests`/],
    ["/workflow resume", /waits for a person/],
    ["/workflow tell fix", /needs a step and a text/],
  ])("%s", async (body, because) => {
    const { github, say, marks, replies } = await openAppRepository({
      ".github/loops/fix-tests.yml": "nodes: []\n",
    });
    seedRun(github, { run });
    const comment = await say("ada", body);
    expect(await replies()).toEqual([expect.stringMatching(because)]);
    expect(marks(comment)).toEqual(["eyes", "confused"]);
    expect(github.dispatches).toEqual([]);
  });

  test("with several waiting runs, a command must name one; runs of other pull requests do not count", async () => {
    const { github, say, replies } = await openAppRepository();
    seedRun(github, { run });
    seedRun(github, { run: "other-run-0a1b2c3d" });
    seedRun(github, { run: "far-run-0a1b2c3d", origin: { pull: 7 } });
    await say("ada", "/workflow approve");
    await say("ada", "/workflow approve far-run-0a1b2c3d");
    const [which, far] = await replies();
    expect(which).toMatch(/several runs fit, name one: .*`once-run-0a1b2c3d`/);
    expect(far).toMatch(/belongs to #7/);
  });

  test("the items of a run are listed if the run itself is named, and their status is shown", async () => {
    const { github, say, replies } = await openAppRepository();
    for (const item of [1, 2, 10])
      seedRun(github, { run: `spread-7-item-${item}`, gates: [{ nonce: "abcdefghij" }] });
    await say("ada", "/workflow approve spread-7");
    await say("ada", "/workflow status spread-7");
    await say("ada", "/workflow approve spread-7-item-2");
    const [which, status] = await replies();
    expect(which).toMatch(
      /say which item of `spread-7`: `spread-7-item-1`, `spread-7-item-2`, `spread-7-item-10`/,
    );
    expect(status).toMatch(
      /`spread-7-item-1` .*Waiting for you.*\n- `spread-7-item-2`.*\n- `spread-7-item-10`/,
    );
    expect(github.dispatches).toMatchObject([{ inputs: { "run-id": "spread-7-item-2" } }]);
  });

  test("an approval of a branch that has moved must be confirmed, unless it has `--anyway`", async () => {
    const { github, say, replies } = await openAppRepository();
    seedRun(github, { run, gates: [{ head: "0".repeat(40) }], origin: { pull: 1 } });
    await say("ada", `/workflow approve ${run}`);
    expect(await replies()).toEqual([expect.stringMatching(/has moved from `0000000` .* --anyway/)]);
    await say("ada", `/workflow approve ${run} --anyway`);
    expect(tipOf(github, run).events).toMatchObject([{ decision: "approve", text: "" }]);
  });

  test("if configured, the gate is shown again, and its old buttons have no effect", async () => {
    const { github, home, say, replies } = await openAppRepository({
      ".github/until-green.yml": "moved-branch: show\n",
    });
    seedRun(github, { run, gates: [{ head: "0".repeat(40), nonce: "abcdefghij" }], origin: { pull: 1 } });
    await say("ada", `/workflow approve ${run}`);
    expect(await replies()).toEqual([expect.stringContaining("shown again")]);
    await deliver(github, home.hooks, {
      event: "check_run",
      hook: buttonHook(run, "approve:abcdefghij", "ada"),
    });
    await home.app.deliveries.idle();
    expect(tipOf(github, run).state.lines).toBe(1);
    await say("ada", `/workflow approve ${run}`);
    expect(tipOf(github, run).events).toMatchObject([{ decision: "approve" }]);
  });
});

test("the buttons of a check decide by the same rules", async () => {
  const { github, home, replies } = await openAppRepository();
  seedRun(github, { run, gates: [{ nonce: "abcdefghij" }], origin: { pull: 1 } });
  const press = async (by: string, identifier: string) => {
    await deliver(github, home.hooks, { event: "check_run", hook: buttonHook(run, identifier, by) });
    await home.app.deliveries.idle();
  };
  await press("eve", "approve:abcdefghij");
  await press("ada", "approve:0000000000");
  expect(tipOf(github, run).state.seq).toBe(1);
  await press("ada", "reject:abcdefghij");
  expect(tipOf(github, run).events).toMatchObject([{ decision: "reject", by: "ada" }]);
  expect(github.dispatches).toHaveLength(1);
  expect(await replies()).toEqual([
    expect.stringContaining("the permission `write`"),
    expect.stringContaining("not open"),
  ]);
});

test("a press that cannot be dealt with just now is answered so, and does nothing", async () => {
  const { github, home, replies } = await openAppRepository();
  seedRun(github, { run, gates: [{ nonce: "abcdefghij" }], origin: { pull: 1 } });
  github.fault(/\/(graphql|git\/ref\/.*)$/, { status: 502 });
  await deliver(github, home.hooks, {
    event: "check_run",
    hook: buttonHook(run, "approve:abcdefghij", "ada"),
  });
  await home.app.deliveries.idle();
  expect(await replies()).toEqual([expect.stringMatching(/`ada`, who pressed approve: .* please try again/)]);
  expect(tipOf(github, run).state.seq).toBe(1);
});

test("a decision whose job could not start is reported, kept, and started by the sweep", async () => {
  const { github, say, replies } = await openAppRepository();
  seedRun(github, { run });
  github.fault(/\/dispatches$/, { status: 500 });
  const comment = await say("ada", `/workflow approve ${run} go`);
  expect(await replies()).toEqual([expect.stringMatching(/Recorded, but run .* was not started/)]);
  expect(github.dispatches).toEqual([]);
  github.heal();
  expect(await sweep(siteOf(github))).toMatchObject({ runs: 1, started: [] });
  expect(await sweep(siteOf(github), { graceMs: 0 })).toMatchObject({ started: [run], dead: [], faults: [] });
  expect(github.dispatches).toMatchObject([{ inputs: { "run-id": run, "comment-id": String(comment) } }]);
});

test("a run whose job is gone is found, offered to be resumed, and resumed by a comment", async () => {
  const { github, home, say } = await openAppRepository();
  const run = "dead-run-0a1b2c3d";
  seedRun(github, { run, state: "running", gates: [], origin: { pull: 1 }, job: { run: 77, attempt: 1 } });
  github.runs.set(77, { id: 77, status: "in_progress" });
  expect(await sweep(siteOf(github))).toMatchObject({ dead: [] });
  github.runs.set(77, { id: 77, status: "completed", conclusion: "failure" });
  for (const other of ["more-run-0a1b2c3d", "most-run-0a1b2c3d"]) seedRun(github, { run: other });
  await deliver(github, home.hooks, { event: "workflow_run", hook: workflowHook(78) });
  await home.app.deliveries.idle();
  const asked = github.journal.filter(
    ({ by, method }) => by === "until-green-app[bot]" && method !== "PATCH",
  );
  expect(asked.map(({ path }) => path)).toEqual(["/graphql"]);
  await deliver(github, home.hooks, { event: "workflow_run", hook: workflowHook(77) });
  await deliver(github, home.hooks, { event: "workflow_run", hook: workflowHook(77) });
  await home.app.deliveries.idle();
  for (const other of ["more-run-0a1b2c3d", "most-run-0a1b2c3d"])
    seedRun(github, { run: other, state: "ended", gates: [] });
  const shown = (await github.as("octocat", "GET /issues/1/comments")).map(
    ({ body }: { readonly body: string }) => body,
  );
  expect(shown).toEqual([
    expect.stringMatching(
      new RegExp(`^<!-- until-green:run=${run} -->\\n> \\[!WARNING\\]\\n.*/workflow resume`),
    ),
  ]);
  await say("ada", "/workflow resume");
  expect(github.dispatches).toMatchObject([{ inputs: { "run-id": run } }]);
});

function siteOf(github: GitHubHost) {
  const client = openGitHub({
    token: github.token,
    repository: github.repository,
    apiUrl: github.url,
  });
  return openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" });
}

/** One of many who speak at once: of three who do, the last presses a button. */
async function speak(github: GitHubHost, id: string, at: number) {
  const by = ["ada", "bob", "octocat"][at % 3] ?? "";
  const verb = at % 2 === 0 ? "approve" : "reject";
  const hook = buttonHook(id, `${verb}:abcdefghij`, by);
  if (at % 3 === 2) return { event: "check_run", hook, delivery: randomUUID() };
  const made = await github.as(by, "POST /issues/1/comments", { body: `/workflow ${verb} ${id}` });
  return { event: "issue_comment", hook: commentHook(made), comment: made.id as number };
}

async function race(first: number, last: number): Promise<void> {
  const { github, home, marks, replies } = await openAppRepository();
  github.webhooks.url = undefined;
  const copies = [home, ...(await Promise.all(Array.from({ length: 7 }, () => openAppHome(github))))];
  let deliveries = 0;
  let pressed = 0;
  for (let round = first; round <= last; round++) {
    const id = `race-${String(round).padStart(4, "0")}-0a1b2c3d`;
    const count = 2 + ((round * 3) % 7);
    seedRun(github, { run: id, gates: [{ nonce: "abcdefghij" }], origin: { pull: 1 } });
    const texts = await Promise.all(Array.from({ length: count }, (_, at) => speak(github, id, at)));
    await Promise.all(
      copies.slice(0, count).flatMap(({ hooks: url }) => texts.map((word) => deliver(github, url, word))),
    );
    await Promise.all(copies.map(({ app }) => app.deliveries.idle()));
    expect(tipOf(github, id).state).toMatchObject({ lines: 2 });
    const [decision, ...more] = tipOf(github, id).events;
    expect([decision.type, more]).toEqual(["run.decided", []]);
    expect(github.dispatches.filter(({ inputs }) => inputs["run-id"] === id)).toHaveLength(1);
    const late = texts.flatMap(({ comment }) =>
      comment === undefined || comment === decision.comment?.id ? [] : [comment],
    );
    for (const comment of late) expect(marks(comment)).toEqual(["eyes", "confused"]);
    deliveries += late.length;
    const presses = texts.filter((word) => "delivery" in word).length;
    pressed += decision.comment === undefined ? presses - 1 : presses;
  }
  const comments = await replies();
  expect(comments.filter((text) => !/already decided by (ada|bob|octocat)/.test(text))).toEqual([]);
  expect(comments.filter((text) => !text.includes("who pressed"))).toHaveLength(deliveries);
  expect(comments.filter((text) => text.includes("who pressed"))).toHaveLength(pressed);
}
