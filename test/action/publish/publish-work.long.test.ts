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
    const others = [
      await itemOf(opened, 2, { "two.txt": "2\n" }),
      await itemOf(opened, 3, { "state.txt": "other\n" }),
    ];
    const work = await workOf(isGreen, { others, summary: { run: "many.1" }, missing: ["item 4 failed"] });
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
    const others = [{ ...item, summary: { ...item.summary, ...red, run: "many.2" } }];
    await publishWork(await workOf(isGreen, { others }), settingOf());
    expect((await host.as("octocat", "GET /pulls/1")).draft).toBe(true);
    expect(host.git.git("log", "-1", "--format=%B", "work")).toMatch(/^Until-Green-Grade: red/m);
  });
});
