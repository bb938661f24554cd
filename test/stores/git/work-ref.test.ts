import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bareRepository } from "../../../src/git/bare-repository.ts";
import { writeCommit } from "../../../src/git/objects.ts";
import { addAlternates, workTip } from "../../../src/stores/git/work-ref.ts";
import { localHost } from "../../parts/local-host.ts";
import { recordOf, scriptedHost, workRef } from "../../parts/scripted-host.ts";

/** A machine with snapshots of a checkout, and the private repository of a run. */
async function open() {
  const host = localHost();
  const repository = () => bareRepository(mkdtempSync(join(host.top, "repository-")), "x.git", "sha1");
  const [snapshots, gitDir] = [repository(), repository()];
  const record = { ...recordOf({ host: scriptedHost(), gitDir }), remote: await host.remote() };
  const commit = (message: string, ...parents: readonly string[]) =>
    writeCommit(snapshots, "sha1", { tree: { file: Buffer.from(message) }, parents, message });
  const pack = () => execFileSync("git", ["-C", snapshots, "repack", "-adkq"]);
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", gitDir, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
  const sources = [join(snapshots, "objects")];
  const tip = (snapshot: string, work?: string) => {
    record.work = work;
    return workTip(record, snapshot, sources);
  };
  return { host, snapshots, gitDir, record, commit, pack, git, tip, sources };
}

test.each(["loose", "packed"])(
  "a snapshot that follows the last one is pushed as it is (%s)",
  async (how) => {
    const { commit, pack, tip, snapshots } = await open();
    const first = commit("first");
    const second = commit("second", first);
    const third = commit("third", second);
    if (how === "packed") {
      execFileSync("git", ["-C", snapshots, "update-ref", "refs/heads/x", third]);
      pack();
      execFileSync("git", ["-C", snapshots, "prune-packed"]);
    }
    expect(await tip(first)).toBe(first);
    expect(await tip(first, first)).toBe(first);
    expect(await tip(second, first)).toBe(second);
    expect(await tip(third, first)).toBe(third);
  },
);

test("a snapshot that was just created on top of the last one is known without git", async () => {
  const { commit, tip, gitDir } = await open();
  const first = commit("first");
  const second = commit("second", commit("other"), first);
  // Git cannot open it any more.
  rmSync(join(gitDir, "HEAD"));
  expect([await tip(first), await tip(first, first), await tip(second, first)]).toEqual([
    first,
    first,
    second,
  ]);
  expect(await tip(commit("third", second), first)).toBeUndefined();
});

test("a snapshot that does not follow it is merged with it, and one that is part of it changes nothing", async () => {
  const { commit, tip, git } = await open();
  const [first, other] = [commit("first"), commit("other")];
  const merged = (await tip(other, first)) ?? "";
  expect(git("log", "-1", "--format=%P|%s", merged)).toBe(`${other} ${first}|another loop begins`);
  expect(git("rev-parse", `${merged}^{tree}`)).toBe(git("rev-parse", `${other}^{tree}`));
  expect(await tip(other, merged)).toBe(merged);
  expect(await tip(first, merged)).toBe(merged);
});

test("the last workspace is fetched if another machine made it", async () => {
  const { commit, tip, git, host } = await open();
  const theirs = host.git(
    "commit-tree",
    "-m",
    "theirs",
    host.git("hash-object", "-w", "-t", "tree", "/dev/null"),
  );
  host.git("update-ref", workRef, theirs);
  const mine = commit("mine");
  const merged = (await tip(mine, theirs)) ?? "";
  expect(git("log", "-1", "--format=%P", merged)).toBe(`${mine} ${theirs}`);
});

test("a snapshot that is not on this machine, or without its files, is not pushed", async () => {
  const { snapshots, tip, commit } = await open();
  const missing = "1".repeat(40);
  expect(await tip(missing)).toBeUndefined();
  expect(await tip(missing, commit("first"))).toBeUndefined();
  const bare = writeCommit(snapshots, "sha1", { tree: missing, parents: [commit("first")], message: "x" });
  expect(await tip(bare, commit("other"))).toBeUndefined();
});

test("a word in a message is no parent", async () => {
  const { commit, tip, git } = await open();
  const first = commit("first");
  const odd = commit(`odd\n\nparent ${first}`);
  const merged = (await tip(odd, first)) ?? "";
  expect(git("log", "-1", "--format=%P", merged)).toBe(`${odd} ${first}`);
});

test("the repositories it borrows from may be cut off, and it knows where, until that was repaired", async () => {
  const { gitDir, snapshots, sources } = await open();
  const [one, two, three] = ["1", "2", "3"].map((digit) => digit.repeat(40));
  const shallow = () => readFileSync(join(gitDir, "shallow"), "utf8");
  await addAlternates(gitDir, [...sources, "/no/such/objects"]);
  expect(() => shallow()).toThrow("ENOENT");
  expect(readFileSync(join(gitDir, "objects/info/alternates"), "utf8")).toBe(`${sources[0]}\n`);
  writeFileSync(join(snapshots, "shallow"), `${one}\n${two}\n`);
  writeFileSync(join(gitDir, "shallow"), `${two}\n${three}\n`);
  await addAlternates(gitDir, sources);
  expect(shallow()).toBe(`${two}\n${three}\n${one}\n`);
  writeFileSync(join(gitDir, "deepened"), `${one}\n${two}\n`);
  await addAlternates(gitDir, sources);
  expect(shallow()).toBe(`${three}\n`);
});
