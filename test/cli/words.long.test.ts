import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { tellUsage } from "../../src/cli/answer.ts";
import { builtCommandLine } from "../parts/built.ts";
import { loopFile, openFolder } from "../parts/terminal.ts";

const gates =
  "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: one } }\n  - { id: b, approval: { message: two } }\n";

test("options may precede the command", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": gates });
  const { code, events } = await folder.run("--json", "--cwd=.", "--quiet", "run", "w.yml");
  expect(code).toBe(3);
  expect(events.at(-1)).toMatchObject({ type: "run.paused" });
});

test.each([
  ["approve", 0, "✅ last succeeded"],
  ["reject", 1, "❌ last failed"],
  ["cancel", 4, "🛑 last was cancelled\n"],
])("%s that ends a run says how it ended", async (command, code, says) => {
  const folder = openFolder();
  folder.write({
    "w.yml": "name: last\ninteractive: true\nnodes:\n  - { id: a, approval: { message: one } }\n",
  });
  await folder.run("run", "w.yml", "--run-id", "last-run");
  const ended = await folder.run(command, "last-run");
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: expect.stringContaining(says) });
  expect(ended.stderr.split(says)).toHaveLength(2);
});

test("a run that is spread over jobs has the status of its items, and other commands name those", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": gates });
  for (const number of [10, 2]) await folder.run("run", "w.yml", "--run-id", `spread-item-${number}`);
  const { code, stdout } = await folder.run("status", "spread");
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^spread-item-2 {2}.*Waiting for you.*\nspread-item-10 {2}.*Waiting for you.*\n$/,
    ),
  });
  const { events } = await folder.run("status", "spread", "--json");
  expect(events.map(({ run, type }) => `${run} ${type}`)).toEqual([
    "spread-item-2 run.paused",
    "spread-item-10 run.paused",
  ]);
  const refused = await folder.run("approve", "spread");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("a run of its own: spread-item-2, spread-item-10.");
});

test.each([
  ["/proc", "cannot be written"],
  ["/dev/null/x", "there is no such folder"],
])("init where nothing can be written says so at once: %s", async (folder, says) => {
  const { code, stderr } = await openFolder().run("init", "--cwd", folder, "--check", "true");
  expect(code).toBe(2);
  expect(stderr).toContain(says);
});

test("a store that cannot be created is reported at once", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": gates });
  const { code, stderr } = await folder.run("run", "w.yml", "--store", "dir:/proc/runs/here");
  expect(code).toBe(1);
  expect(stderr).toContain("choose another folder with --store dir:PATH");
});

test.each([
  [["--jsn", "list"], "did you mean --json?"],
  [["--json"], "no command given"],
  [["lst"], "did you mean list?"],
  [["lst", "--help"], "did you mean list?"],
  [["help", "lst"], "did you mean list?"],
  [["tell"], tellUsage],
  [["run", "--prompt", "go"], "set --until-bash CMD or --until SIGNAL"],
  [["run", "fix-tets"], "there is no workflow fix-tets; did you mean fix-tests?"],
  [["list", "--cwd", "nowhere"], "--cwd nowhere: there is no such folder"],
  [["init", "--cwd", "README.md"], "--cwd README.md: there is no such folder"],
])("%j is refused in one sentence", async (args, says) => {
  const folder = openFolder();
  folder.write({ ".github/loops/fix-tests.yml": gates });
  const { code, stderr } = await folder.run(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(says);
});

test("a folder that was deleted meanwhile is named as the cause", () => {
  const { path } = openFolder();
  // The shell is in it when it goes.
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" list';
  const args = ["-c", script, process.execPath, builtCommandLine()];
  const { status, stderr } = spawnSync("bash", args, { cwd: path, encoding: "utf8" });
  expect(status).toBe(2);
  expect(stderr).toContain("the current folder no longer exists");
});

test("where a run is kept elsewhere, the commands shown say so", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": gates });
  const { stderr } = await folder.run("run", "w.yml", "--run-id", "kept-run", "--store", "dir:a place");
  expect(stderr).toContain("until-green report kept-run --store 'dir:a place'\n");
  expect(stderr).toContain("approve, reject and cancel need --store 'dir:a place' too\n");
});

test("of a run that is gone with its process no further command is shown", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": gates });
  const { stderr } = await folder.run("run", "w.yml", "--store", "memory");
  expect(stderr).not.toContain("until-green report");
});

test("where several gates are open each is named, in progress and status", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": gates });
  const { stderr } = await folder.run("run", "w.yml", "--run-id", "gated-run");
  expect(stderr).toContain("the oldest of 2 gates; any other with --gate /a or --gate /b");
  expect(stderr).toContain("  until-green approve gated-run [text]\n");
  const { stdout } = await folder.run("status", "gated-run");
  expect(stdout).toContain("Gate /a\none");
  expect(stdout).toContain("Gate /b\ntwo");
  expect(`${stderr}${stdout}`, "a comment answers nothing in a terminal").not.toContain("/workflow");
});

test("an environment error says how to continue once it is fixed", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loopFile("prompt: go\nuntil: DONE\nmax_iterations: 2") });
  const args = ["run", "w.yml", "--agent", "command:not-a-program-here", "--run-id", "broken-run"];
  const { code, stderr } = await folder.run(...args);
  expect(code).toBe(1);
  expect(stderr).toContain("until-green resume broken-run");
});

test("help is of the command that it names", async () => {
  const folder = openFolder();
  const { code, stdout } = await folder.run("help", "logs");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: until-green logs /);
  expect(stdout).toBe((await folder.run("logs", "--help")).stdout);
  expect((await folder.run("help")).stdout).toContain("Exit codes:");
});
