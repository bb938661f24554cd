import { describe, expect, test } from "vitest";
import { stickyMarker } from "../../src/render/sticky-comment.ts";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";

const run = "mine-run-0a1b2c3d";
const other = "other-run-0a1b2c3d";

describe("a comment that names no run", () => {
  test("means the one that waits on its pull request, though others wait elsewhere and on none", async () => {
    const { github, say, marks } = await openAppRepository();
    seedRun(github, { run, origin: { pull: 1 } });
    seedRun(github, { run: "nightly-0a1b2c3d" });
    seedRun(github, { run: "far-run-0a1b2c3d", origin: { pull: 7 } });
    seedRun(github, { run: "done-run-0a1b2c3d", origin: { pull: 1 }, state: "ended", gates: [] });
    const comment = await say("ada", "/workflow approve please go on");
    expect(marks(comment)).toEqual(["eyes", "rocket"]);
    expect(tipOf(github, run).events).toMatchObject([{ decision: "approve", text: "please go on" }]);
  });

  test.each([
    ["GraphQL", false],
    ["REST alone", true],
  ])("must say which where a second one waits that no comment shows (%s)", async (_, isMute) => {
    const { github, say, replies } = await openAppRepository();
    if (isMute) github.fault(/\/graphql$/, { status: 404 });
    seedRun(github, { run, origin: { pull: 1 } });
    seedRun(github, { run: other, origin: { pull: 1 } });
    if (!isMute)
      await github.as("github-actions[bot]", "POST /issues/1/comments", { body: stickyMarker(run) });
    await say("ada", "/workflow approve");
    expect(await replies()).toEqual([
      expect.stringMatching(/several runs fit, name one: .*`mine-run.*`other-run/),
    ]);
    expect(github.dispatches).toEqual([]);
  });

  test("means a run that our comments name if there are too many to list at once; others' comments name none", async () => {
    const { github, say } = await openAppRepository();
    seedRun(github, { run, origin: { pull: 1 } });
    seedRun(github, { run: other, origin: { pull: 1 } });
    const { git } = github.git;
    const tip = git("rev-parse", `refs/until-green/${run}/state`);
    for (let at = 0; at < 100; at++) git("update-ref", `refs/until-green/old-run-${at}/state`, tip);
    await github.as("github-actions[bot]", "POST /issues/1/comments", { body: stickyMarker(run) });
    for (const by of ["mal", "helper[bot]"])
      await github.as(by, "POST /issues/1/comments", { body: stickyMarker(other) });
    await say("ada", "/workflow approve");
    expect(github.dispatches).toMatchObject([{ inputs: { "run-id": run } }]);
  });

  test.each([
    "/workflow approve",
    `/workflow approve ${run}`,
    "/workflow status",
    "/workflow list",
    `/workflow status ${run}`,
    "/workflow approve 0a1b2c3d",
  ])("says that the record of a run is gone that a comment shows: %s", async (text) => {
    const { github, say, replies } = await openAppRepository();
    await github.as("github-actions[bot]", "POST /issues/1/comments", { body: stickyMarker(run) });
    await github.as("mal", "POST /issues/1/comments", { body: stickyMarker(other) });
    await say("ada", text);
    expect((await replies()).at(-1)).toMatch(
      /the record of run `mine-run-0a1b2c3d`.* is gone: its ref `refs\/until-green\/mine-run-0a1b2c3d\/state` was deleted\. On a machine .* otherwise start a new run/,
    );
  });

  test.each([
    ["approve", "nightly-2 looks good"],
    ["Reject", "`Nightly-2`: no"],
    ["c", "release42"],
    ["feedback", "well-done but use maps"],
  ])(
    "is refused if its first word can be an id, with the command for the run that waits: %s %s",
    async (verb, text) => {
      const { github, say, replies } = await openAppRepository();
      seedRun(github, { run, origin: { pull: 1 } });
      await say("ada", `/workflow ${verb} ${text}`);
      const answer = verb === "c" ? "cancel" : verb.toLowerCase();
      expect(await replies()).toEqual([
        expect.stringMatching(new RegExp(`there is no run .*${run}.*\`/workflow ${answer} 0a1b2c3d\``)),
      ]);
      expect(tipOf(github, run).state.seq).toBe(1);
      await say("ada", `/workflow ${verb} 0a1b2c3d ${text}`);
      expect(tipOf(github, run).events).toHaveLength(1);
    },
  );

  test("is not feedback for another if it names a run that a comment would have started", async () => {
    const { github, say, replies } = await openAppRepository();
    seedRun(github, { run, origin: { pull: 1 } });
    await say("ada", "/workflow approve fix-tests-c00001z");
    expect(await replies()).toEqual([expect.stringContaining("there is no run `fix-tests-c00001z` here")]);
    expect(tipOf(github, run).state.seq).toBe(1);
  });
});
