import { describe, expect, test, vi } from "vitest";
import { publishWork } from "../../../action/publish/publish.ts";
import { openWork } from "./work-on-host.ts";

vi.setConfig({ testTimeout: 60_000 });

const isGreen = { "state.txt": "green\n" };

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

describe("the notices of publishing", () => {
  test("say if no check runs on what the job's own token pushed", async () => {
    const { workOf, settingOf } = await openWork();
    const setting = settingOf({ "push-token": "" });
    const published = await publishWork(await workOf(isGreen), setting);
    expect(published?.notices).toEqual([expect.stringMatching(/^no checks run on work: .*`push-token`/)]);
    // The work is there already: nothing was pushed.
    expect((await publishWork(await workOf(isGreen), setting))?.notices).toEqual([]);
  });

  test("say which names GitHub refused; the next run tries those again", async () => {
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

  test("concern checks that are missing, not checks that may not be read", async () => {
    const { host, workOf, settingOf } = await openWork();
    host.fault(/^GET .*\/actions\/runs/, { status: 403 });
    const published = await publishWork(await workOf(isGreen), settingOf({ "push-token": "" }));
    expect(published?.notices).toEqual([]);
  });

  test("name a repository in the work, because git does not store its files", async () => {
    const { git, base, host, workOf, settingOf } = await openWork();
    const work = await workOf(isGreen);
    git("read-tree", work.final);
    git("update-index", "--add", "--cacheinfo", `160000,${base},app`);
    const final = git("commit-tree", git("write-tree"), "-p", base, "-m", "snapshot");
    const published = await publishWork({ ...work, final }, settingOf());
    expect(published?.notices).toEqual([
      "left out, because git does not store the files of a nested repository: app (to publish them, remove its .git folder)",
    ]);
    expect(host.git.git("diff", "--name-only", "main", "work")).toBe("state.txt");
    // Alone it is nothing to publish: it may have been there before.
    git("read-tree", base);
    git("update-index", "--add", "--cacheinfo", `160000,${base},app`);
    const alone = git("commit-tree", git("write-tree"), "-p", base, "-m", "snapshot");
    expect(await publishWork({ ...work, final: alone }, settingOf())).toBeUndefined();
  });

  test("name no file that was left out if too many were restored to know", async () => {
    const { workOf, settingOf } = await openWork();
    const restored = Array.from({ length: 50 }, (_, at) => `${at}/CLAUDE.md`);
    const work = await workOf({ ...isGreen, "CLAUDE.md": "evil\n" });
    expect((await publishWork(work, settingOf({}, { restored })))?.notices).toEqual([]);
    const fewer = await publishWork(
      work,
      settingOf({}, { restored: restored.slice(1), plan: { branch: "b" } }),
    );
    expect(fewer?.notices).toEqual(["left out, because it may not be published: CLAUDE.md"]);
  });

  test("do not hide that GitHub fails in another way: that is an error", async () => {
    const { host, workOf, settingOf } = await openWork();
    host.fault(/^POST .*\/labels$/, { status: 401, message: "Bad credentials" });
    await expect(publishWork(await workOf(isGreen), settingOf({ labels: "loop" }))).rejects.toThrow(
      /Bad credentials/,
    );
  });
});
