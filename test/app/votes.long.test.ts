import { describe, expect, test } from "vitest";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";

const run = "vote-run-0a1b2c3d";
const two = { ".github/until-green.yml": "minimum-approvals: 2\n" };
const origin = { pull: 1 };

describe("where two must approve, an approval counts for what it was said of:", () => {
  test.each(["fix-c00001z", "vote-item-2", "nightly-fix", "nightly"])(
    "not where it names another run, %s",
    async (other) => {
      const { github, say, replies } = await openAppRepository(two);
      seedRun(github, { run, origin });
      seedRun(github, { run: other, origin, gates: [{ nonce: "abcdefghij" }] });
      await say("ada", `/workflow approve ${other}`);
      await say("bob", `/workflow approve ${run}`);
      expect(await replies()).toEqual(Array(2).fill(expect.stringContaining("1 more must approve")));
      await say("octocat", `/workflow approve ${run} go`);
      expect(tipOf(github, run).events).toMatchObject([{ by: "octocat" }]);
    },
  );

  test("not where it names another gate", async () => {
    const { github, say } = await openAppRepository(two);
    seedRun(github, { run, origin, gates: [{ path: "/a" }, { path: "/b" }] });
    await say("ada", `/workflow approve ${run} --gate /b`);
    await say("bob", `/workflow approve ${run}`);
    expect(tipOf(github, run).state.seq).toBe(1);
    await say("octocat", `/workflow approve ${run} --gate /b`);
    expect(tipOf(github, run).state.status.decided).toMatchObject([{ path: "/b", by: "octocat" }]);
  });

  test("not for the next gate when it has helped to decide one", async () => {
    const { github, say } = await openAppRepository(two);
    seedRun(github, { run, origin, gates: [{ path: "/a" }, { path: "/b" }] });
    for (const by of ["ada", "bob", "octocat"]) await say(by, `/workflow approve ${run}`);
    expect(tipOf(github, run).state.status.decided).toMatchObject([{ path: "/a", by: "bob" }]);
    await say("ada", `/workflow approve ${run} --gate /b`);
    expect(tipOf(github, run).events).toMatchObject([{ gate: "/fix#2?gate", by: "ada" }]);
  });

  test("also with a hundred comments in between", async () => {
    const { github, home, say } = await openAppRepository(two);
    seedRun(github, { run, origin });
    github.webhooks.url = undefined;
    for (let at = 0; at < 100; at += 20)
      await Promise.all(
        Array.from({ length: 20 }, () => github.as("mal", "POST /issues/1/comments", { body: "me too" })),
      );
    await github.as("ada", "POST /issues/1/comments", { body: `/workflow approve ${run}` });
    github.webhooks.url = home.hooks;
    await say("bob", `/workflow approve ${run}`);
    expect(tipOf(github, run).events).toMatchObject([{ by: "bob" }]);
  });
});
