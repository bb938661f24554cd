import { describe, expect, test, vi } from "vitest";
import { publishWork } from "../../../action/publish/publish.ts";
import { emptyBoundedList } from "../../../src/status/bounded-list.ts";
import { openWork, red } from "./work-on-host.ts";

vi.setConfig({ testTimeout: 60_000 });

const isGreen = { "state.txt": "green\n" };

describe("what is on the branch", () => {
  test("of a person stays below the work, which then stays on top of it", async () => {
    const { host, workOf, settingOf, commitOn } = await openWork();
    await publishWork(await workOf({ "a.txt": "a\n" }), settingOf());
    const theirs = await commitOn("work", { "theirs.txt": "t\n" });
    const setting = settingOf({ squash: "false" });
    await publishWork(await workOf({ "b.txt": "b\n" }), setting);
    expect(host.git.git("rev-parse", "work~1")).toBe(theirs);
    expect(host.git.git("log", "-1", "--format=%B", "work")).toContain(`Until-Green-Keeps: ${theirs}`);
    await publishWork(await workOf({ "c.txt": "c\n" }), setting);
    expect(host.git.git("ls-tree", "--name-only", "work").split("\n")).toEqual(
      expect.arrayContaining(["a.txt", "b.txt", "c.txt", "theirs.txt"]),
    );
  });

  test("of a person that conflicts is not overwritten", async () => {
    const { host, workOf, settingOf, commitOn } = await openWork();
    const theirs = await commitOn("work", { "state.txt": "theirs\n" }, "main");
    await expect(publishWork(await workOf(isGreen), settingOf())).rejects.toThrow(
      "the work conflicts with work, which others have changed (state.txt): merge or delete that branch and run again",
    );
    expect(host.git.git("rev-parse", "work")).toBe(theirs);
  });

  test("and is better stays, and the pull request links the attempt", async () => {
    const { host, workOf, settingOf } = await openWork();
    const first = await publishWork(await workOf(isGreen), settingOf());
    const worse = await workOf({ "state.txt": "broken\n" }, { summary: { ...red, run: "later-run" } });
    const published = await publishWork(worse, settingOf());
    const ref = "refs/until-green/later-run/attempt";
    const kept = host.git.git("rev-parse", ref);
    expect(host.git.git("show", `${ref}:state.txt`)).toBe("broken");
    expect(published).toEqual({
      branch: "work",
      commit: first?.commit,
      pull: expect.objectContaining({ number: 1 }),
      aside: true,
      unfit: [],
      notices: [
        `not published, as the published work is green and this attempt is not; the work is kept in ${ref} (${kept.slice(0, 12)})`,
      ],
    });
    expect(host.git.git("rev-parse", "work")).toBe(first?.commit);
    await publishWork({ ...worse, summary: { ...worse.summary, run: "third-run" } }, settingOf());
    await publishWork(worse, settingOf());
    const last = host.git.git("rev-parse", ref);
    const comments = await host.as("octocat", "GET /issues/1/comments");
    expect(comments).toHaveLength(1);
    const lines = comments[0].body.split("\n").filter((line: string) => line.startsWith("- Run "));
    expect(lines).toEqual([
      expect.stringMatching(/^- Run `third-run` \(.*\): the published work is green .*\[its job\]/),
      expect.stringContaining("`later-run`"),
    ]);
    expect(lines[1]).toContain(`/compare/${worse.base}...${last})`);
  });

  test("was merged: nothing is published that the base has, and the rest is a new pull request", async () => {
    const { host, workOf, settingOf } = await openWork();
    await publishWork(await workOf(isGreen), settingOf());
    await host.as("octocat", "PUT /pulls/1/merge");
    const merged = host.git.git("rev-parse", "work");
    const same = await publishWork(await workOf(isGreen), settingOf());
    expect(same).toMatchObject({
      commit: merged,
      pull: { number: 1 },
      notices: ["pull request #1 was merged while this run worked, and main has all of its work"],
    });
    expect(host.git.git("rev-parse", "work")).toBe(merged);
    const more = await publishWork(await workOf({ ...isGreen, "new.txt": "n\n" }), settingOf());
    expect(more).toMatchObject({ pull: { number: 2 } });
    expect(host.git.git("show", "work:new.txt")).toBe("n");
  });

  test("was merged before the run: it has nothing to publish if it changes nothing", async () => {
    const { host, git, workOf, settingOf } = await openWork();
    await publishWork(await workOf(isGreen), settingOf());
    await host.as("octocat", "PUT /pulls/1/merge");
    git("fetch", "--quiet", "origin", "refs/heads/main");
    const base = git("rev-parse", "FETCH_HEAD");
    expect(await publishWork(await workOf({}, { base }), settingOf())).toBeUndefined();
  });

  test("was merged, and the base changed the same lines since: the work is proposed again", async () => {
    const { host, workOf, settingOf, commitOn } = await openWork();
    await publishWork(await workOf(isGreen), settingOf());
    await host.as("octocat", "PUT /pulls/1/merge");
    await commitOn("main", { "state.txt": "blue\n" });
    // Of the same run in the same second it would be the merged commit itself.
    const later = await workOf(isGreen, { summary: { run: "later-run" } });
    expect(await publishWork(later, settingOf())).toMatchObject({ pull: { number: 2 } });
  });

  test("was rejected while the run worked on it: the work is kept beside it", async () => {
    const { host, workOf, settingOf } = await openWork();
    const first = await publishWork(await workOf(isGreen), settingOf());
    await host.as("octocat", "PATCH /pulls/1", { state: "closed" });
    const series = { from: first?.commit, notes: "", conflicts: [] } as unknown as ReturnType<
      typeof settingOf
    >["series"];
    const work = await workOf({ ...isGreen, "new.txt": "n\n" });
    const aside = await publishWork(work, settingOf({}, { series }));
    expect(aside).toMatchObject({ aside: true, commit: first?.commit });
    expect(aside?.notices.at(-1)).toContain("pull request #1 was closed while this run worked");
    const comments: readonly { readonly body: string }[] = await host.as("octocat", "GET /issues/1/comments");
    expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining(`\`${work.summary.run}\``)]);
    // Another run knows nothing of it: its work is a new proposal.
    const published = await publishWork(work, settingOf());
    expect(published).toMatchObject({ pull: { number: 2 } });
    expect(published).not.toHaveProperty("aside");
  });

  test("was rejected: the same work of a later run is a proposal of that run", async () => {
    const { host, workOf, settingOf } = await openWork();
    await publishWork(await workOf(isGreen), settingOf());
    await host.as("octocat", "PATCH /pulls/1", { state: "closed" });
    const again = await publishWork(await workOf(isGreen, { summary: { run: "later-run" } }), settingOf());
    expect(again).toMatchObject({ pull: { number: 2 } });
    expect(host.git.git("log", "-1", "--format=%B", "work")).toContain("Until-Green-Run: later-run");
  });

  test("was rejected, and a person went on from there: their commits stay", async () => {
    const { host, workOf, settingOf, commitOn } = await openWork();
    await publishWork(await workOf(isGreen), settingOf());
    await host.as("octocat", "PATCH /pulls/1", { state: "closed" });
    const theirs = await commitOn("work", { "theirs.txt": "t\n" });
    await publishWork(await workOf({ ...isGreen, "new.txt": "n\n" }), settingOf());
    expect(host.git.git("rev-parse", "work~1")).toBe(theirs);
  });

  test("is the same on an older base: the work is pushed onto the new one", async () => {
    const { host, workOf, settingOf, commitOn } = await openWork();
    await publishWork(await workOf({ ...isGreen, "new.txt": "n\n" }), settingOf());
    const base = await commitOn("main", { "new.txt": "n\n" });
    await publishWork(await workOf(isGreen, { base }), settingOf());
    expect(host.git.git("rev-parse", "work~1")).toBe(base);
  });

  test("is the same in several commits: nothing is pushed, unless the host cannot tell their base", async () => {
    const { host, snapshot, workOf, settingOf } = await openWork();
    const iterations = [{ number: 1, snapshot: await snapshot({ "state.txt": "nearly\n" }) }];
    const setting = settingOf({ squash: "false" });
    const first = await publishWork(await workOf(isGreen, { iterations }), setting);
    const again = await workOf(isGreen, { iterations, summary: { run: "later-run" } });
    expect((await publishWork(again, setting))?.commit).toBe(first?.commit);
    host.fault(/\/compare\//, { status: 404 });
    expect((await publishWork(again, setting))?.commit).not.toBe(first?.commit);
  });

  test("is ours, and the job pushes to it: the work goes on top of it", async () => {
    const { host, workOf, settingOf } = await openWork();
    const first = await publishWork(await workOf({ "state.txt": "greenish\n" }), settingOf());
    const work = await workOf({ ...isGreen, "new.txt": "n\n" }, { base: first?.commit ?? "" });
    await publishWork(work, settingOf({}, { plan: { way: "push" } }));
    expect(host.git.git("rev-parse", "work~1")).toBe(first?.commit);
  });

  test("is red on another base: it cannot be compared, and is replaced", async () => {
    const { host, workOf, settingOf, commitOn } = await openWork();
    const summary = { ...red, loops: emptyBoundedList };
    await publishWork(await workOf({ "state.txt": "a\n" }, { summary }), settingOf());
    const base = await commitOn("main", { "other.txt": "o\n" });
    const more = await workOf({ "state.txt": "b\n", "new.txt": "n\n" }, { base, summary });
    expect(await publishWork(more, settingOf())).not.toHaveProperty("aside");
    expect(host.git.git("show", "work:new.txt")).toBe("n");
  });

  test("is red: a later attempt with more changes replaces it only if it started from it", async () => {
    const { host, workOf, settingOf } = await openWork();
    const counts = { ...red, loops: emptyBoundedList };
    const first = await publishWork(await workOf({ "state.txt": "a\n" }, { summary: counts }), settingOf());
    const more = await workOf({ "state.txt": "b\n", "new.txt": "n\n" }, { summary: counts });
    expect(await publishWork(more, settingOf())).toMatchObject({ aside: true, commit: first?.commit });
    const series = { from: first?.commit, notes: "", conflicts: [] } as unknown as ReturnType<
      typeof settingOf
    >["series"];
    const published = await publishWork(more, settingOf({}, { series }));
    expect(published).not.toHaveProperty("aside");
    expect(host.git.git("show", "work:new.txt")).toBe("n");
  });

  test("is replaced where no pull request is wanted, whatever became of an earlier one", async () => {
    const { host, workOf, settingOf } = await openWork();
    await publishWork(await workOf(isGreen), settingOf());
    await host.as("octocat", "PUT /pulls/1/merge");
    const setting = settingOf({}, { plan: { way: "branch" } });
    const worse = await workOf({ "state.txt": "broken\n" }, { summary: red });
    expect(await publishWork(worse, setting)).toMatchObject({ aside: true, pull: undefined });
  });

  test("is replaced by commits that GitHub made and signed, if that is asked for", async () => {
    const { host, github, workOf, settingOf } = await openWork();
    const setting = settingOf(
      { "commit-mode": "api", "push-token": "", signoff: "true" },
      { opener: github },
    );
    for (const text of ["greenish\n", "green\n"])
      await publishWork(await workOf({ "state.txt": text }), setting);
    expect(host.git.git("cat-file", "commit", "work")).toMatch(/^gpgsig /m);
    expect(host.git.git("log", "-1", "--format=%B", "work")).toMatch(
      /^Signed-off-by: github-actions\[bot\] <\d+\+github-actions\[bot\]@users/m,
    );
    expect(host.git.git("rev-list", "--count", "main..work")).toBe("1");
    expect(host.git.git("show", "work:state.txt")).toBe("green");
  });

  test("is not replaced if the host refuses that for another reason", async () => {
    const { host, workOf, settingOf } = await openWork();
    const first = await publishWork(await workOf({ "state.txt": "greenish\n" }), settingOf());
    host.git.preReceive("echo 'declined by a rule' >&2; exit 1");
    await expect(publishWork(await workOf(isGreen), settingOf())).rejects.toThrow(
      /rejected the push to work/,
    );
    expect(host.git.git("rev-parse", "work")).toBe(first?.commit);
    const other = settingOf({}, { plan: { branch: "other" } });
    await expect(publishWork(await workOf(isGreen), other)).rejects.toThrow(/rejected the push to other/);
  });

  test("may not be replaced by force: then the work is also on top of it", async () => {
    const { host, workOf, settingOf } = await openWork();
    const first = await publishWork(await workOf({ "state.txt": "greenish\n" }), settingOf());
    host.git.git("config", "receive.denyNonFastForwards", "true");
    const second = await publishWork(await workOf(isGreen), settingOf());
    expect(host.git.git("rev-parse", "work")).toBe(second?.commit);
    expect(host.git.git("log", "-1", "--format=%P", "work").split(" ")).toContain(first?.commit);
    expect(host.git.git("show", "work:state.txt")).toBe("green");
  });
});
