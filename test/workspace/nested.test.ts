import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPlayground, runGit } from "./playground.ts";

test("folders that become repositories of their own are named, with a commit or without, as no snapshot has their files", async () => {
  const { top, write, snapshot } = openPlayground({ files: { "a.txt": "a\n" } });
  expect((await snapshot()).nested).toBeUndefined();
  write({ "a.txt": "b\n", "born/x.txt": "x\n", "unborn/y.txt": "y\n" });
  for (const folder of ["born", "unborn"]) runGit(top, "init", "-q", folder);
  runGit(top, "-C", "born", "add", "--all");
  runGit(top, "-C", "born", "commit", "-q", "-m", "first");
  const first = await snapshot();
  expect(first.nested?.toSorted()).toEqual(["born", "unborn"]);
  // What was there before is no news, as far as the snapshot before knows it.
  expect((await snapshot(first.commit)).nested).toEqual(["unborn"]);
});

/** A repository in a folder, which runs a program whenever git looks into it for changes. */
function trapped(play: ReturnType<typeof openPlayground>, folder: string): string {
  const { top, write } = play;
  const ran = join(play.outside, "ran");
  write({ [`${folder}/f`]: "1\n" });
  runGit(top, "init", "-q", folder);
  const inner = join(top, folder);
  runGit(inner, "add", "f");
  runGit(inner, "commit", "-q", "-m", "first");
  const program = join(play.outside, "program");
  writeFileSync(program, `#!/bin/sh\necho ran >> ${ran}\ncat\n`, { mode: 0o755 });
  runGit(inner, "config", "filter.x.clean", program);
  write({ [`${folder}/.git/info/attributes`]: "* filter=x\n" });
  return ran;
}

/** As large as before, and of another second: git has to read it. */
function touch(path: string): void {
  writeFileSync(path, "2\n");
  utimesSync(path, 1, 1);
}

test("a snapshot does not start what the settings of a nested repository name", async () => {
  const play = openPlayground({ files: { "a.txt": "a\n" } });
  const ran = trapped(play, "inner");
  const first = await play.snapshot();
  touch(join(play.top, "inner/f"));
  const second = await play.snapshot(first.commit);
  await play.ask({ op: "restore", commit: first.commit ?? "" });
  expect(second.tree).toBe(first.tree);
  expect(existsSync(ran)).toBe(false);
  // It is a trap: git itself would have.
  play.git("add", "inner");
  touch(join(play.top, "inner/f"));
  play.git("status", "--short");
  expect(existsSync(ran)).toBe(true);
});

test("a submodule keeps its place in snapshots: checked out, not checked out, moved on, and removed", async () => {
  const play = openPlayground({ files: { "a.txt": "a\n" } });
  for (const name of ["here", "bare"]) {
    play.write({ [`${name}/f`]: "1\n" });
    runGit(play.top, "init", "-q", name);
    runGit(join(play.top, name), "add", "f");
    runGit(join(play.top, name), "commit", "-q", "-m", "first");
  }
  play.git("add", "here", "bare");
  play.git("commit", "-q", "-m", "submodules");
  rmSync(join(play.top, "bare"), { recursive: true });
  mkdirSync(join(play.top, "bare"));
  const modes = async (commit: string | undefined) =>
    play.kept("ls-tree", commit ?? "").replaceAll(/ (?:commit|blob) \w+\t/g, " ");
  const first = await play.snapshot();
  expect(await modes(first.commit)).toBe("100644 a.txt\n160000 bare\n160000 here\n");
  runGit(join(play.top, "here"), "commit", "-q", "--allow-empty", "-m", "second");
  const second = await play.snapshot(first.commit);
  expect(second.diff?.paths).toEqual(["here"]);
  play.remove("bare");
  play.remove("here");
  const third = await play.snapshot(second.commit);
  expect(await modes(third.commit)).toBe("100644 a.txt\n");
});

test("a snapshot starts no program that an agent put among the packages of the checkout", async () => {
  const play = openPlayground({ files: { "a.txt": "a\n", ".gitignore": "node_modules\n" } });
  const ran = join(play.outside, "ran");
  play.git("config", "filter.lfs.clean", "git-lfs clean -- %f");
  const bin = join(play.top, "node_modules/.bin");
  play.write({ ".gitattributes": "*.bin filter=lfs\n", "b.bin": "b\n", "node_modules/.bin/x": "" });
  writeFileSync(join(bin, "git-lfs"), `#!/bin/sh\necho ran >> ${ran}\ncat\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  await play.snapshot();
  expect(existsSync(ran)).toBe(false);
  // It is a trap: git itself would have.
  play.git("add", "b.bin");
  expect(existsSync(ran)).toBe(true);
});
