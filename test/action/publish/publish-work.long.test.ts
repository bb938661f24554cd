import { describe, expect, test, vi } from "vitest";
import { publishWork } from "../../../action/publish/publish.ts";
import { openWork, red } from "./work-on-host.ts";

vi.setConfig({ testTimeout: 60_000 });

const isGreen = { "state.txt": "green\n" };

describe("a run's work", () => {
  test("becomes one commit on its base and one pull request", async () => {
    const { host, base, workOf, settingOf } = await openWork({ users: { ann: "write" } });
    const work = await workOf({ ...isGreen, "src/new.txt": "n\n", "old.txt": undefined });
    const published = await publishWork(work, settingOf({ labels: "loop", reviewers: "ann" }));
    const tip = host.git.git("rev-parse", "work");
    expect(published).toEqual({
      branch: "work",
      commit: tip,
      pull: { number: 1, url: expect.stringMatching(/\/1$/) },
      notices: [],
      unfit: [],
    });
    expect(host.git.git("diff", "--name-status", base, "work").split("\n")).toEqual([
      "D\told.txt",
      "A\tsrc/new.txt",
      "M\tstate.txt",
    ]);
    expect(host.git.git("log", "-1", "--format=%P", "work")).toBe(base);
    expect(host.git.git("log", "-1", "--format=%B", "work")).toMatch(
      new RegExp(`^Until-Green-Run: ${work.summary.run}\nUntil-Green-Grade: green lines=4$`, "m"),
    );
    const pull = await host.as("octocat", "GET /pulls/1");
    expect(pull).toMatchObject({ draft: false, state: "open", base: { ref: "main" } });
    expect(pull.title).toBe(`until-green: ${work.summary.workflow}`);
    const issue = await host.as("octocat", "GET /issues/1");
    expect(issue.labels.map(({ name }: { name: string }) => name)).toEqual(["loop"]);
    expect(pull.requested_reviewers.map(({ login }: { login: string }) => login)).toEqual(["ann"]);
  });

  test("of the next run replaces it on the new base; what people changed in the pull request stays", async () => {
    const { host, base, git, workOf, settingOf, commitOn } = await openWork();
    const setting = settingOf({ labels: "loop" });
    await publishWork(await workOf({ "state.txt": "greenish\n" }), setting);
    await host.as("octocat", "PATCH /pulls/1", { title: "Mine" });
    await host.as("octocat", "DELETE /issues/1/labels/loop");
    const main = await commitOn("main", { "other.txt": "o\n" });
    git("fetch", "--quiet", "origin", "refs/heads/main");
    const published = await publishWork(await workOf(isGreen, { base: main }), setting);
    expect(published).toMatchObject({ pull: { number: 1 }, notices: [] });
    expect(host.git.git("log", "-1", "--format=%P", "work")).toBe(main);
    expect(host.git.git("show", "work:state.txt")).toBe("green");
    expect(host.git.git("merge-base", base, "work")).toBe(base);
    expect((await host.as("octocat", "GET /pulls/1")).title).toBe("Mine");
    expect((await host.as("octocat", "GET /issues/1")).labels).toEqual([]);
  });

  test("that is there already is not pushed again", async () => {
    const { host, workOf, settingOf } = await openWork();
    const first = await publishWork(await workOf(isGreen), settingOf());
    const again = await workOf(isGreen, { summary: { run: "another-run" } });
    const second = await publishWork(again, settingOf());
    expect(second).toEqual(first);
    expect(host.git.git("rev-parse", "work")).toBe(first?.commit);
  });

  test("is pushed again if it is red now, and the pull request becomes a draft", async () => {
    const { host, workOf, settingOf } = await openWork();
    await publishWork(await workOf(isGreen, { summary: red }), settingOf());
    expect((await host.as("octocat", "GET /pulls/1")).draft).toBe(true);
    const first = host.git.git("rev-parse", "work");
    await publishWork(await workOf(isGreen), settingOf());
    expect(host.git.git("rev-parse", "work")).not.toBe(first);
    expect((await host.as("octocat", "GET /pulls/1")).draft).toBe(false);
  });

  test("goes to a branch alone, if no pull request is wanted", async () => {
    const { host, workOf, settingOf } = await openWork();
    const setting = settingOf({}, { plan: { way: "branch" } });
    expect(await publishWork(await workOf(isGreen), setting)).toMatchObject({
      branch: "work",
      pull: undefined,
    });
    expect(host.journal.filter(({ method, path }) => method === "POST" && /pulls$/.test(path))).toEqual([]);
  });

  test("goes on top of a pull request's head, also of a person's commits", async () => {
    const { host, workOf, settingOf, commitOn } = await openWork();
    const theirs = await commitOn("work", { "theirs.txt": "t\n" }, "main");
    const setting = settingOf({}, { plan: { way: "push" } });
    const published = await publishWork(await workOf(isGreen, { summary: red }), setting);
    expect(published).toMatchObject({ branch: "work", pull: undefined });
    expect(host.git.git("log", "-1", "--format=%P", "work")).toBe(theirs);
  });

  test("has nowhere to go if the head of the pull request is gone", async () => {
    const { workOf, settingOf } = await openWork();
    const setting = settingOf({}, { plan: { way: "push", branch: "gone" } });
    await expect(publishWork(await workOf(isGreen), setting)).rejects.toThrow(
      "the branch gone of the pull request is gone: there is nothing to push to",
    );
  });

  test("that changes nothing leaves no branch", async () => {
    const { host, workOf, settingOf } = await openWork();
    expect(await publishWork(await workOf({}), settingOf())).toBeUndefined();
    expect(host.git.git("branch", "--list", "work")).toBe("");
  });

  test("may be a commit for each iteration", async () => {
    const { host, snapshot, workOf, settingOf } = await openWork();
    const first = await snapshot({ "state.txt": "nearly\n" });
    const work = await workOf(isGreen, { iterations: [{ number: 1, snapshot: first }] });
    await publishWork(work, settingOf({ squash: "false" }));
    expect(host.git.git("log", "--format=%s", "main..work").split("\n")).toEqual([
      expect.any(String),
      `${work.summary.workflow}: iteration 1`,
    ]);
    expect(host.git.git("show", "work~1:state.txt")).toBe("nearly");
  });
});

describe("what may not be published", () => {
  test("is left out and named, without what was restored before the run", async () => {
    const { host, workOf, settingOf } = await openWork();
    const files = { "CLAUDE.md": "evil\n", "sub/.mcp.json": "{}", ".github/workflows/ci.yml": "evil\n" };
    const setting = settingOf({ protect: "old.*" }, { restored: ["CLAUDE.md"] });
    const published = await publishWork(await workOf({ ...isGreen, ...files, "old.txt": "evil\n" }), setting);
    expect(host.git.git("diff", "--name-only", "main", "work")).toBe("state.txt");
    expect(published?.notices).toEqual([
      "left out, because it may not be published: .github/workflows/ci.yml, old.txt, sub/.mcp.json",
    ]);
  });

  test("is all that changed: then nothing is published", async () => {
    const { host, workOf, settingOf } = await openWork();
    const files = Object.fromEntries(
      ["a", "b", "c", "d", "e", "f"].map((name) => [`${name}/CLAUDE.md`, "evil"]),
    );
    await expect(publishWork(await workOf(files), settingOf())).rejects.toThrow(
      "only files that may not be published have changed (a/CLAUDE.md, b/CLAUDE.md, c/CLAUDE.md, d/CLAUDE.md, e/CLAUDE.md and 1 more)",
    );
    expect(host.git.git("branch", "--list", "work")).toBe("");
  });

  test("may be workflow files, if the job allows them", async () => {
    const { host, workOf, settingOf } = await openWork();
    const work = await workOf({ ".github/workflows/ci.yml": "good\n" });
    await publishWork(work, settingOf({ "allow-workflow-files": "true" }));
    expect(host.git.git("show", "work:.github/workflows/ci.yml")).toBe("good");
  });

  test("a key of the job in the work stops it", async () => {
    const { host, workOf, settingOf } = await openWork();
    const work = await workOf({ ...isGreen, "log.txt": "key: hidden-key-0123456789\n" });
    await expect(publishWork(work, settingOf())).rejects.toThrow(
      /^the work contains a key or a token of this job \(in log\.txt\), so nothing was published/,
    );
    expect(host.git.git("branch", "--list", "work")).toBe("");
  });

  test.each([
    [{ "max-files": "1" }, "the work changes 2 files, and `max-files` is 1: nothing was published"],
    [
      { "max-patch-kib": "1" },
      "the files the work changes have 2 KiB, and `max-patch-kib` is 1: nothing was published",
    ],
  ])("work beyond %j is refused, and work of just that size is not", async (limit, sentence) => {
    const { workOf, settingOf } = await openWork();
    const most = await workOf({ "state.txt": "x".repeat(1_024) });
    expect(await publishWork(most, settingOf(limit))).toMatchObject({ branch: "work" });
    const over = await workOf({ "state.txt": "x".repeat(1_024), "new.txt": "y" });
    await expect(publishWork(over, settingOf(limit))).rejects.toThrow(sentence);
  });
});

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
    const { host, git, workOf, settingOf } = await openWork();
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
    git("fetch", "--quiet", "origin", "refs/heads/main");
    const more = await publishWork(await workOf({ ...isGreen, "new.txt": "n\n" }), settingOf());
    expect(more).toMatchObject({ pull: { number: 2 } });
    expect(host.git.git("show", "work:new.txt")).toBe("n");
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
    // Another run knows nothing of it: its work is a new proposal.
    const published = await publishWork(work, settingOf());
    expect(published).toMatchObject({ pull: { number: 2 } });
    expect(published).not.toHaveProperty("aside");
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

describe("the work of several runs", () => {
  const itemOf = async (
    { snapshot }: Pick<Awaited<ReturnType<typeof openWork>>, "snapshot">,
    number: number,
    files: object,
  ) => ({
    summary: {
      ...red,
      conclusion: "success" as const,
      stopReason: "until-bash" as const,
      run: `many.${number}`,
    },
    final: await snapshot(files as Record<string, string>),
  });

  test("is one pull request; what does not fit is named in it", async () => {
    const opened = await openWork();
    const { host, workOf, settingOf } = opened;
    const beside = [
      await itemOf(opened, 2, { "two.txt": "2\n" }),
      await itemOf(opened, 3, { "state.txt": "other\n" }),
    ];
    const work = await workOf(isGreen, { beside, summary: { run: "many.1" }, missing: ["item 4 failed"] });
    const published = await publishWork(work, settingOf());
    expect(published?.unfit).toEqual([{ run: "many.3", conflicts: ["state.txt"], with: ["many.1"] }]);
    expect(host.git.git("diff", "--name-only", "main", "work").split("\n")).toEqual(["state.txt", "two.txt"]);
    const pull = await host.as("octocat", "GET /pulls/1");
    expect(pull.draft).toBe(true);
    expect(pull.body).toContain("item 4 failed");
    expect(pull.body).toMatch(/> - .*many\.3.* conflicts with .*many\.1.* in state/);
    expect(pull.body).toContain("in 2 runs");
  });

  test("is red if one of them is", async () => {
    const opened = await openWork();
    const { host, workOf, settingOf } = opened;
    const item = await itemOf(opened, 2, { "two.txt": "2\n" });
    const beside = [{ ...item, summary: { ...item.summary, ...red, run: "many.2" } }];
    await publishWork(await workOf(isGreen, { beside }), settingOf());
    expect((await host.as("octocat", "GET /pulls/1")).draft).toBe(true);
    expect(host.git.git("log", "-1", "--format=%B", "work")).toMatch(/^Until-Green-Grade: red/m);
  });
});

describe("people are told", () => {
  test("if no check runs on what the job's own token pushed", async () => {
    const { workOf, settingOf } = await openWork();
    const setting = settingOf({ "push-token": "" });
    const published = await publishWork(await workOf(isGreen), setting);
    expect(published?.notices).toEqual([expect.stringMatching(/^no checks run on work: .*`push-token`/)]);
    // The work is there already: nothing was pushed.
    expect((await publishWork(await workOf(isGreen), setting))?.notices).toEqual([]);
  });

  test("which names GitHub refused; the next run tries those again", async () => {
    const { host, workOf, settingOf } = await openWork({ users: { ann: "write" } });
    host.fault(/^POST .*\/labels$/, { status: 403, message: "Not accessible" }, 1);
    const setting = settingOf({ labels: "loop", reviewers: "ann" });
    const published = await publishWork(await workOf(isGreen), setting);
    expect(published?.notices).toEqual([expect.stringMatching(/^the labels were not set: .*Not accessible/)]);
    const asked = () => host.journal.filter(({ path }) => path.endsWith("/requested_reviewers")).length;
    expect(asked()).toBe(1);
    await publishWork(await workOf({ "state.txt": "greener\n" }), setting);
    const issue = await host.as("octocat", "GET /issues/1");
    expect(issue.labels.map(({ name }: { name: string }) => name)).toEqual(["loop"]);
    expect(asked()).toBe(1);
  });

  test("if GitHub fails in another way, by an error", async () => {
    const { host, workOf, settingOf } = await openWork();
    host.fault(/^POST .*\/labels$/, { status: 401, message: "Bad credentials" });
    await expect(publishWork(await workOf(isGreen), settingOf({ labels: "loop" }))).rejects.toThrow(
      /Bad credentials/,
    );
  });
});
