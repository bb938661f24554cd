import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { git } from "../../src/git/git.ts";
import { readBranches } from "../../src/workspace/branches.ts";

async function folder(...calls: readonly (readonly string[])[]): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), "branches-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  for (const args of calls) await git({ cwd, args });
  return cwd;
}

const init = ["init", "--quiet", "--initial-branch=täg/a"];
const commit = ["commit", "--quiet", "--allow-empty", "--message", "x"];

test("a checkout says its commit, its branch, and the default branch of its remote", async () => {
  const remote = ["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release/2"];
  const cwd = await folder(init, commit, ["update-ref", "refs/remotes/origin/release/2", "HEAD"], remote);
  expect(await readBranches(cwd)).toEqual({
    head: expect.stringMatching(/^[0-9a-f]{40}$/),
    branch: "täg/a",
    remoteDefault: "release/2",
  });
});

test("a detached checkout has no branch", async () => {
  const cwd = await folder(init, commit, ["checkout", "--quiet", "--detach"]);
  expect(await readBranches(cwd)).toMatchObject({ head: expect.any(String), branch: undefined });
});

test("before the first commit, and where there is no checkout, nothing is known", async () => {
  expect(await readBranches(await folder(init))).toEqual({ branch: "täg/a" });
  expect(await readBranches(await folder())).toEqual({});
  expect(await readBranches("/does/not/exist")).toEqual({});
});
