import { describe, expect, test } from "vitest";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { hashOf, openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { verifyDecision } from "../../src/issue-ops/verify-decision.ts";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";

const run = "a-workflow-with-a-long-name-0a1b2c3d";
const same = "chosen-0a1b2c3d";
const other = "other-run-9f8e7d6c";
const origin = { pull: 1 };
const two = { ".github/until-green.yml": "minimum-approvals: 2\n" };

describe("a comment that names a run by the end of its id", () => {
  test.each([
    ["GraphQL", false],
    ["REST alone", true],
  ])("approves that run, also if others wait (%s)", async (_, isMute) => {
    const { github, say } = await openAppRepository();
    if (isMute) github.fault(/\/graphql$/, { status: 404 });
    seedRun(github, { run, origin });
    seedRun(github, { run: other, origin });
    await say("ada", "/workflow approve 0a1b2c3d please go on");
    expect(tipOf(github, run).events).toMatchObject([{ decision: "approve", text: "please go on" }]);
    expect(tipOf(github, other).state.seq).toBe(1);
  });

  test.each(["c1lm2n3p", "19283746512-2", "0a1b2c3d-item-2"])(
    "approves the run that ends in %s",
    async (end) => {
      const { github, say } = await openAppRepository();
      const named = `fix-tests-${end}`;
      seedRun(github, { run: named, origin, gates: [{ nonce: "abcdefghij" }] });
      seedRun(github, { run: other, origin });
      await say("ada", `/workflow approve ${end} please go on`);
      expect(tipOf(github, named).events).toMatchObject([{ decision: "approve", text: "please go on" }]);
      expect(tipOf(github, other).state.seq).toBe(1);
    },
  );

  test("is refused if another run's id ends so, also one of another pull request", async () => {
    const { github, say, replies } = await openAppRepository();
    seedRun(github, { run, origin });
    seedRun(github, { run: same, origin: { pull: 7 } });
    await say("ada", "/workflow approve 0a1b2c3d");
    expect(await replies()).toEqual([expect.stringMatching(/several runs end in `0a1b2c3d`/)]);
    expect(tipOf(github, run).state.seq).toBe(1);
  });

  test.each(["`9f8e7d6c`", "<other-run-9f8e7d6c>", "9f8e7d6c,"])(
    "approves that run also as it is shown or written: %s",
    async (shown) => {
      const { github, say } = await openAppRepository();
      seedRun(github, { run, origin });
      seedRun(github, { run: other, origin });
      await say("ada", `/workflow approve ${shown} please go on`);
      expect(tipOf(github, other).events).toMatchObject([{ decision: "approve", text: "please go on" }]);
      expect(tipOf(github, run).state.seq).toBe(1);
    },
  );

  test("never approves another run that waits, if the one in code does not", async () => {
    const { github, say, replies } = await openAppRepository();
    seedRun(github, { run, origin });
    seedRun(github, { run: other, origin, state: "ended", gates: [] });
    await say("ada", "/workflow approve `other-run-9f8e7d6c`");
    expect(await replies()).toEqual([expect.stringContaining("has ended")]);
    expect(tipOf(github, run).state.seq).toBe(1);
  });

  test.each(["9f8e7d6c", "c1lm2n3p", "9f8e7d6c-item-2"])(
    "(%s) is no feedback for the only run",
    async (end) => {
      const { github, say, replies } = await openAppRepository();
      seedRun(github, { run, origin });
      await say("ada", `/workflow approve ${end}`);
      expect(await replies()).toEqual([expect.stringContaining(`there is no run \`${end}\` here`)]);
      expect(tipOf(github, run).state.seq).toBe(1);
    },
  );

  test("counts where two must approve, but for no other run", async () => {
    const { github, say } = await openAppRepository(two);
    seedRun(github, { run, origin });
    seedRun(github, { run: other, origin, gates: [{ nonce: "abcdefghij" }] });
    await say("ada", "/workflow approve 9f8e7d6c");
    await say("bob", "/workflow approve 0a1b2c3d");
    expect(tipOf(github, run).state.seq).toBe(1);
    await say("octocat", "/workflow approve 0a1b2c3d");
    expect(tipOf(github, run).events).toMatchObject([{ by: "octocat" }]);
    expect(tipOf(github, other).state.seq).toBe(1);
  });

  test("does not count for a run that somebody named so that its id ends alike", async () => {
    const { github, say } = await openAppRepository(two);
    seedRun(github, { run, origin });
    seedRun(github, { run: same, origin, gates: [{ nonce: "abcdefghij" }] });
    await say("ada", "/workflow approve 0a1b2c3d");
    await say("bob", `/workflow approve ${same}`);
    expect(tipOf(github, same).state.seq).toBe(1);
  });
});

test("a decision by the end of a run's id is valid for that run only", async () => {
  const { github } = await openAppRepository();
  github.webhooks.url = undefined;
  const body = "/workflow approve 0a1b2c3d\nuse maps";
  const { id } = await github.as("ada", "POST /issues/1/comments", { body });
  const client = openGitHub({ token: github.token, repository: github.repository, apiUrl: github.url });
  const site = openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" });
  const decision = { type: "run.decided", decision: "approve", by: "ada", workflow: undefined } as const;
  const doubt = (named: string, text = "use maps") =>
    verifyDecision(site, { ...decision, run: named, text, comment: { id, sha256: hashOf(body) } });
  expect(await doubt(run)).toBeUndefined();
  expect(await doubt(other)).toMatch(/says something else/);
  expect(await doubt(other, "0a1b2c3d\nuse maps")).toMatch(/says something else/);
});
