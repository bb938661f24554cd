import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderAt, loopFile, openFolder, typed } from "../parts/terminal.ts";

const passing = loopFile("prompt: go\nuntil_bash: test -f done\nmax_iterations: 2");

test("a name that two files of a folder have is not guessed at", async () => {
  const folder = openFolder();
  folder.write({ ".github/loops/two.yml": passing, ".github/loops/two.yaml": passing });
  expect(await folder.run("run", "two", "--dry-run")).toMatchObject({
    code: 2,
    stderr:
      "until-green: two is the name of two files: .github/loops/two.yaml and .github/loops/two.yml; give the path of one, or rename one\n",
  });
  expect((await folder.run("run", ".github/loops/two.yml", "--dry-run")).code).toBe(0);
});

test("a loop among GitHub's workflows is found there by the error", async () => {
  const folder = openFolder();
  folder.write({ ".github/workflows/lost.yml": passing, ".github/loops/other.yml": passing });
  const { code, stderr } = await folder.run("run", "lost", "--dry-run");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(
      /there is no workflow lost .*; there is a file \.github\/workflows\/lost\.yml, but loops belong in \.github\/loops\n$/,
    ),
  });
});

test("logs of an iteration or a node that a run does not have say which it has", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": passing });
  await folder.run("run", "w.yml", "--agent", "command:touch done", "--run-id", "went-0000aaaa");
  const logs = async (...more: string[]) => {
    const { code, stderr } = await folder.run("logs", "went", ...more);
    return { code, stderr };
  };
  expect(await logs("--iteration", "9")).toEqual({
    code: 2,
    stderr: "until-green: went-0000aaaa has no iteration 9; it has 1\n",
  });
  expect(await logs("--node", "fxi")).toEqual({
    code: 2,
    stderr: "until-green: went-0000aaaa has no node fxi; did you mean fix?\n",
  });
  expect(await logs("--node", "fix", "--iteration", "1")).toMatchObject({ code: 0 });
  const { code, stderr } = await folder.run("diff", "went", "9", "x");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'until-green: "x" is not the number of an iteration: until-green diff RUN 2, or 2 4\n',
  });
});

test("a run that could not start its agent is called neither killed nor running", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": passing });
  await folder.run("run", "w.yml", "--agent", "command:no-such-program-here");
  expect((await folder.run("list")).stdout).toContain(
    "⏸️ t paused; its process ended early, `resume` continues it",
  );
  for (const args of [["status"], ["report"], ["report", "--format", "html"]]) {
    const { stdout } = await folder.run(...args);
    expect(stdout, args.join(" ")).toContain("t paused");
    expect(stdout, args.join(" ")).not.toMatch(/is running|>running<| running$/m);
  }
});

test("an agent whose program is not here is refused before the check runs", async () => {
  const folder = openFolder();
  const baseline =
    "prompt: go\nuntil_bash: touch checked; false\nmax_iterations: 2\ncheck: { baseline: true }";
  folder.write({ "w.yml": loopFile(baseline) });
  const bare = folderAt(folder.path, { ...typed(), PATH: "/usr/bin:/bin" });
  const { code, stderr } = await bare.run("run", "w.yml", "--agent", "kimi");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(
      /^until-green: kimi is not installed, or not on PATH: install it \(npm install --global \S+\) or choose another agent \(see until-green doctor\)\n$/,
    ),
  });
  expect(existsSync(join(folder.path, "checked"))).toBe(false);
  expect((await bare.run("list")).stdout).not.toContain("t paused");
});

test("how a run ended is printed once, under its progress", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": passing });
  const { stderr } = await folder.run("run", "w.yml", "--agent", "command:touch done");
  expect(stderr.match(/^(✅ t succeeded|success): the check passed$/gm)).toEqual([
    "✅ t succeeded: the check passed",
  ]);
});

test("doctor says once that a folder is no repository", async () => {
  const { code, stdout } = await openFolder({ bare: true }).run("doctor");
  expect({ code, said: stdout.match(/is not a git repository/g) }).toEqual({
    code: 1,
    said: ["is not a git repository"],
  });
  // Runs work without it.
  expect(stdout).not.toContain("✘ isolation");
  expect(stdout).toContain("✘ store       runs are kept in the repository, or in a folder: --store dir:PATH");
});

test("a loop without a check that runs out of iterations does not blame a check", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loopFile("prompt: go\nuntil: DONE\nmax_iterations: 2") });
  const { code, stderr } = await folder.run("run", "w.yml", "--agent", "command:echo not yet");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining("❌ t failed: the iteration limit was reached"),
  });
  expect(stderr).not.toContain("check");
});
